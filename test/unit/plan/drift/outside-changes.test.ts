import { expect, test } from "vitest";
import type { OutsideChange } from "../../../../src/model/drift.ts";
import { outsideRoles } from "../../../../src/plan/drift/outside-changes.ts";
import { driftOfScene, type OutsideSceneName, outsideSceneNames } from "../../../support/outside-scenes.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { addressOf } from "../../../support/roster-builders.ts";

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

const olga = { person: { address: addressOf("olga"), email: "olga@acme.example" } };
const zed = { person: { address: addressOf("zed"), email: "zed@acme.example" } };
const keyOf = (name: string) => ({ key: { prefix: `k-${name}`, isOwn: false } });
const none = { gained: [], lost: [], privileged: [] };
const left = ["DEVELOPER", "TEAM_ROLE"];

const changes: Readonly<Record<OutsideSceneName, readonly OutsideChange[]>> = {
  escalation: [
    {
      is: "roles-changed",
      ...olga,
      team: "Pricing",
      ...keyOf("olga"),
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  "escalation of a key that the roster leaves alone": [
    {
      is: "roles-changed",
      person: { address: addressOf("pat"), email: "pat@acme.example" },
      key: { prefix: "k-pat", isOwn: true },
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  loss: [{ is: "roles-changed", ...olga, team: "Pricing", ...keyOf("olga"), ...none, lost: ["DEVELOPER"] }],
  "removed member": [{ is: "member-removed", ...olga, team: "Pricing", ...keyOf("olga"), ...none, lost: left }],
  "added member": [{ is: "member-added", ...zed, team: "Pricing", ...keyOf("zed"), ...none, gained: ["AUDITOR"] }],
  "added administrator": [
    {
      is: "member-added",
      ...zed,
      team: "Pricing",
      ...keyOf("zed"),
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  "removed user": [{ is: "user-removed", ...olga, ...none, lost: left }],
  "renamed team": [{ is: "team-renamed", team: "Pricing", to: "Rates", ...none }],
  "changed address": [{ is: "email-changed", ...olga, to: "olga.b@acme.example", ...none }],
  "removed key": [{ is: "key-removed", key: { prefix: "k-gone", isOwn: false }, ...none, lost: left }],
  "nothing changed": [],
};

test.each(outsideSceneNames)("what was changed outside roster: %s", (name) => {
  const { items } = driftOfScene(name).drift;
  expect(items.flatMap(({ outside = [] }) => outside)).toEqual(changes[name]);
  expect(items.map((item) => item.class === "tampered")).toEqual(items.map(({ outside }) => outside !== undefined));
});

test("a privileged role on a key that no run has created may have been there before, and is no gain", () => {
  const { items } = driftOfScene("escalation of a key that the roster leaves alone", { state: aState() }).drift;
  const found = items.find(({ code }) => code === "unmanaged-key-privilege");
  expect([found?.class, found?.counts, found?.outside]).toEqual(["unmanaged", "blocking", undefined]);
});
