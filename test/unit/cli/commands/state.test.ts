import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { systemClock, systemRandomness } from "../../../../src/library/environment.ts";
import { fileStore } from "../../../../src/log/file/store.ts";
import { creationIntent, intended, noon } from "../../../support/event-builders.ts";
import { heldLocks, type Verb } from "../../../support/session-steps.ts";
import { testSessions } from "../../../support/sessions.ts";

const shortened = (cut: (text: string, length: number) => string): Verb => {
  return ({ cwd }, [file = "", length]) =>
    writeFileSync(join(cwd, file), cut(readFileSync(join(cwd, file), "utf8"), Number(length)));
};

testSessions(new URL("state.txt", import.meta.url), {
  cut: shortened((text, length) => text.slice(0, length)),
  "cut-lines": shortened((text, length) => text.replace(new RegExp(`(?:.*\\n){${length}}$`, "u"), "")),
  /** A run adds to the log there, and leaves a call open. */
  async record({ cwd }, [path = ""]) {
    const store = fileStore({ path: join(cwd, path), clock: systemClock, randomness: systemRandomness });
    const session = await store.lock({ run: "r1", operation: "apply", at: noon });
    if (!session.ok) throw new Error(session.error.message);
    const call = intended("r1", "create-user:cy", creationIntent("cy"));
    await session.value.append([{ type: "sequenced", at: noon, sequence: 12 }, call]);
    await session.value.close();
  },
  "cannot-save": ({ names }) =>
    expect(heldLocks.get(names)?.append([{ type: "sequenced", at: noon, sequence: 1 }])).rejects.toThrow(),
});
