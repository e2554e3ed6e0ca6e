import { expect, test } from "vitest";
import { foldAddress } from "../../../../src/model/address.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../../src/model/team.ts";
import { recordedStateDocument } from "../../../../src/report/document/state.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { renderDocument } from "../../../../src/report/text/text.ts";
import { aRefusal, asks, refusalMap } from "../../../support/refusal-builders.ts";

const ada = foldAddress("ada@acme.example");
const bo = foldAddress("bo@acme.example");
const ops = teamKeyOf("acc-1", "Ops");
const at = "2026-11-20T06:00:00.000Z";

function shown(state: State, address: string): string {
  return renderDocument(recordedStateDocument(state, address), { paint: plain });
}

test("a state that records nothing says so", () => {
  expect(shown(emptyState("l-1"), "file:.roster/log.jsonl")).toBe(`\
State file:.roster/log.jsonl

The log has no events yet.
`);
});

test("a state shows its people, teams, memberships, keys and open calls", () => {
  const state: State = {
    lineage: "l-1",
    serial: 3,
    service: "https://accounts.acme.example",
    sequence: 4711,
    applied: { at, digest: "d", people: new Map([[ada, { address: ada, email: "Ada@acme.example" }]]) },
    planFiles: [
      { file: "f-1", at: "2026-11-19T06:00:00.000Z" },
      { file: "f-2", at },
    ],
    users: new Map([
      [
        ada,
        {
          address: ada,
          email: "Ada@acme.example",
          account: "acc-1",
          identifier: "u-1",
          createdAt: at,
          key: "abc",
          createdTeam: ops,
        },
      ],
      [bo, { address: bo, email: "bo@acme.example", account: "acc-1", seenAt: at }],
    ]),
    teams: new Map([[ops, { team: ops, name: "Ops", account: "acc-1", identifier: "t-1", firstMember: ada, at }]]),
    memberships: new Map([
      [membershipKeyOf(ops, ada), { team: ops, address: ada, how: "created", at, prefix: "abc" }],
      [membershipKeyOf(ops, bo), { team: ops, address: bo, how: "added", at }],
    ]),
    access: new Map(),
    runs: new Map(),
    keys: new Map([["abc", { prefix: "abc", setRoles: ["DEVELOPER"], at, observedRoles: [] }]]),
    open: [
      { run: "r-1", action: "add-members:acc-1/ops", at, intent: { kind: "replace-roles", prefix: "abc", roles: [] } },
    ],
    refusals: refusalMap(
      aRefusal(asks.creation("cy")),
      aRefusal(asks.teamCreation("cy", "Data")),
      aRefusal(asks.addition("bo"), { failure: { code: "conflict", message: "There already" } }),
      aRefusal(asks.roles("abc", [])),
    ),
  };
  expect(shown(state, "file:s.json")).toBe(`\
State file:s.json

Lineage l-1, position 3. For https://accounts.acme.example.
The highest applied --sequence is 4711.
The last applied roster (${at}) has 1 person.
The last applied plan file is f-2, started at 2026-11-20T06:00:00.000Z.

Users (2)
  person            account  identifier  key             created
  Ada@acme.example  acc-1    u-1         abc (team Ops)  2026-11-20T06:00:00.000Z
  bo@acme.example   acc-1    -           -               seen

Teams (1)
  team  account  identifier  first member
  Ops   acc-1    t-1         Ada@acme.example

Memberships (2)
  person            team  how      prefix
  Ada@acme.example  Ops   created  abc
  bo@acme.example   Ops   added    -

Keys with replaced roles (1)
  prefix  roles      at                        last read
  abc     DEVELOPER  2026-11-20T06:00:00.000Z  none

Refused requests (not sent again) (4)
  request                           at                        why
  create cy@acme.example            2026-11-20T12:00:00.000Z  The service refuses the request (400): taken
  create Data with cy@acme.example  2026-11-20T12:00:00.000Z  The service refuses the request (400): taken
  add bo@acme.example to Science    2026-11-20T12:00:00.000Z  There already
  give the key abc no roles         2026-11-20T12:00:00.000Z  The service refuses the request (400): taken

Calls with an unknown outcome (1)
  action                 at                        run
  add-members:acc-1/ops  2026-11-20T06:00:00.000Z  r-1
`);
});
