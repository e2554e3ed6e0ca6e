import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { type RawServer, rawServer } from "../support/raw-server.ts";
import { writeRoster } from "../support/roster-directory.ts";
import type { Session } from "../support/session-steps.ts";
import { testSessions } from "../support/sessions.ts";

/** Answers everything, and keeps every byte that comes. */
const nothing = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";

const attackers = new WeakMap<Session["names"], RawServer>();
const lists = new WeakMap<Session["names"], readonly string[]>();

const listOf = ({ cwd }: Session) => readdirSync(cwd, { recursive: true, encoding: "utf8" }).sort();

testSessions(new URL("hostile-pull-request.txt", import.meta.url), {
  async attacker({ names }) {
    const attacker = await rawServer((socket) => void socket.write(nothing), onTestFinished);
    attackers.set(names, attacker);
    names.set("attacker", attacker.origin);
  },
  "never-asked": ({ server }) => expect(server.requests).toEqual([]),
  /** No byte came to the attacker, nothing of theirs was run, and the key is in no file but its own. */
  "nothing-stolen"(session) {
    const secret = session.server.key.split(".")[1] ?? "";
    const holding = listOf(session).filter((name) => {
      const found = lstatSync(join(session.cwd, name));
      // Links, and what is too large to have been written, are passed over.
      return found.isFile() && found.size < 1_000_000 && readFileSync(join(session.cwd, name), "utf8").includes(secret);
    });
    const marks = listOf(session).filter((name) => name.endsWith("marker"));
    const attacker = attackers.get(session.names);
    expect([holding, marks, attacker?.connections(), attacker?.heard()]).toEqual([["out/key"], [], 0, ""]);
  },
  list: (session) => void lists.set(session.names, listOf(session)),
  /** But for so many files that came. */
  "same-list"(session, [more = "0"]) {
    const before = lists.get(session.names) ?? [];
    const now = listOf(session);
    expect(before.filter((name) => !now.includes(name))).toEqual([]);
    expect(now.filter((name) => !before.includes(name)).length).toBeLessThanOrEqual(Number(more));
  },
  "prints-no-command": ({ printed }) => expect(printed[0]).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|##[a-z]*\[|^\s*::[a-z]/imu),
  async huge({ cwd }, [file = ""]) {
    await writeRoster(cwd, { [file]: "" });
    await truncate(join(cwd, file), 2 ** 42);
  },
});
