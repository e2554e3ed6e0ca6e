import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { Verb } from "../../support/session-steps.ts";
import { testSessions } from "../../support/sessions.ts";

const verbs: Readonly<Record<string, Verb>> = {
  "lose-state-at-first-request"({ cwd, during }) {
    during.request = () => {
      during.request = () => undefined;
      rmSync(join(cwd, ".roster"), { recursive: true });
    };
  },
  /** One moment is an hour after another, or as much more as our clock is ahead of the service's. */
  "an-hour"(_, [from = "", to = ""]) {
    const minutes = (Date.parse(to) - Date.parse(from)) / 60_000;
    expect([minutes >= 60, minutes < 70]).toEqual([true, true]);
  },
};

const files = readdirSync("test/e2e/sessions").filter((file) => file.endsWith(".txt"));

describe.each(files)("%s", (file) => {
  testSessions(new URL(file, import.meta.url), verbs);
});
