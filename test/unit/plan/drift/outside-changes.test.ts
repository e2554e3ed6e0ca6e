import { expect, test } from "vitest";
import { outsideRoles } from "../../../../src/plan/drift/outside-changes.ts";

interface Moved {
  readonly put: readonly string[];
  readonly readAs?: readonly string[];
  readonly carries: readonly string[];
  readonly wanted: readonly string[];
  readonly byOthers: boolean;
}

const keys: Readonly<Record<string, Moved>> = {
  "nothing moved": { put: ["A"], carries: ["A"], wanted: ["A"], byOthers: false },
  "a role too many": { put: ["A"], carries: ["A", "B"], wanted: ["A"], byOthers: true },
  "a role too few": { put: ["A", "B"], carries: ["A"], wanted: ["A", "B"], byOthers: true },
  "a role that the roster asks for by now came from others": {
    put: ["A"],
    carries: ["A", "B"],
    wanted: ["A", "B", "C"],
    byOthers: false,
  },
  "a role that we had asked for came late": {
    put: ["A", "B"],
    readAs: ["A"],
    carries: ["A", "B"],
    wanted: ["A"],
    byOthers: false,
  },
  "a role went that the roster has given up": { put: ["A", "B"], carries: ["A"], wanted: ["A"], byOthers: false },
  "a role went that the service kept by itself, and that the roster asks for by now": {
    put: ["A"],
    readAs: ["A", "B"],
    carries: ["A"],
    wanted: ["A", "B"],
    byOthers: false,
  },
  "what the service keeps by itself is there": {
    put: ["A"],
    readAs: ["A", "B"],
    carries: ["A", "B"],
    wanted: ["A"],
    byOthers: false,
  },
  "what the service never took is missing still": {
    put: ["A", "B"],
    readAs: ["A"],
    carries: ["A"],
    wanted: ["A", "B"],
    byOthers: false,
  },
};

test.each(Object.entries(keys))("%s", (_, { put, readAs, carries, wanted, byOthers }) => {
  const record = { prefix: "k", put, at: "2026-11-20T11:00:00.000Z", ...(readAs === undefined ? {} : { readAs }) };
  const { gained, lost } = outsideRoles(record, carries, wanted);
  expect(gained.length + lost.length > 0).toBe(byOthers);
});
