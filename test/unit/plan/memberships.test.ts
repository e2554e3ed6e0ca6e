import { expect, test } from "vitest";
import { planned } from "../../support/plan-inputs.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { partsOf, planLines, play } from "../../support/scenes.ts";

play("a member", planLines)`
  there: {root: {in: {Data}}, ada}
  users: {ada}
  teams: {Data: {identifier: t-data, open: true, members: [ada]}}
whose key of the team is deleted, is added
  there: {ada: {keys: {k-1: {team: Data, kind: team, status: Deleted}}}}
  > add ada to Data
who holds a key of another team of the same name, is added to the one that is meant
  shown: {Other: {name: Data}}
  there: {ada: {in: {Other: []}}}
  > add ada to Data
who holds a key of the team by name alone, is not added
  there: {ada: {in: {Data: []}}}
  hides: [team-identifiers]
whom we added, and who is shown without a key, is never mailed again
  state: {members: {Data/ada: {}}}
  > ! member-removed: member ada of team acc-1/data
whom a run met in the team, and who is shown without a key, is never mailed
  state: {members: {Data/ada: {how: seen}}}
  > ! member-removed: member ada of team acc-1/data
who created the team by our record, and is shown without a key, is never mailed
  state: {users: {ada: {createdAt: RECORDED, createdTeam: acc-1/data, key: k-lost}}}
  > ! member-removed: member ada of team acc-1/data
whom we added under the team's former name, is never mailed again
  teams: {Data: {previously: [Numbers]}}
  state: {members: {Numbers/ada: {}}}
  > ! member-removed: member ada of team acc-1/data
whose keys are hidden, is a member by record
  state: {members: {Data/ada: {}}}
  hides: [keys]
whose keys are hidden, is no member where we created her and recorded no addition
  state: {users: {ada: {createdAt: RECORDED}}}
  hides: [keys]
  > add ada to Data
whose keys are hidden, and of whom nothing is recorded, is not mailed on a doubt
  hides: [keys]
  > ! unproven-absence: member ada of team acc-1/data
whose keys show no team, is a member by a recorded key that is shown
  there: {ada: {in: {Data: []}}}
  state: {members: {Data/ada: {prefix: k-ada-data}}}
  hides: [teams]
whose recorded key is not among the keys shown, is never mailed again
  there: {ada: {in: {Data: []}}}
  state: {members: {Data/ada: {prefix: k-lost}}}
  hides: [teams]
  > ! member-removed: member ada of team acc-1/data
whose key by the roster is not among the keys shown, is not mailed on a doubt
  there: {ada: {in: {Data: []}}}
  teams: {Data: {members: [{user: ada, key: k-wrong}]}}
  hides: [teams]
  > ! unproven-absence: member ada of team acc-1/data
  > ! unknown-key: key k-wrong
perhaps added by a run that never learned it, is not mailed again
  open: {add ada to Data as t-other}
  > ! unknown-outcome: additions to team acc-1/data
perhaps added under a former key of the team, is not mailed again
  open: {add ada to Numbers as t-data}
  > ! unknown-outcome: additions to team acc-1/data
perhaps added by a run that never learned it, is a member where a person gives the prefix and keys are hidden
  open: {add ada to Data as t-data}
  teams: {Data: {members: [{user: ada, key: k-declared}]}}
  hides: [keys]
perhaps added by a run that never learned it, is not yet a member by a prefix that is not among the keys shown
  open: {add ada to Data as t-data}
  teams: {Data: {members: [{user: ada, key: k-declared}]}}
  > ! unknown-outcome: additions to team acc-1/data
  > ! unknown-key: key k-declared
hidden, and no member by a person's word, is added
  hides: [keys]
  allows: [unproven-absence:data/ada@acme.example]
  > add ada to Data
hidden, and added by us a moment ago, is not mailed again whatever a person says
  state: {members: {Data/ada: {at: 2026-11-20T12:00:00.000Z}}}
  hides: [keys]
  allows: [unproven-absence:data/ada@acme.example]
  > idle-allowance: allowance unproven-absence:data/ada
hidden, and perhaps added by us a moment ago, is not mailed again whatever a person says
  open: {add ada to Data as t-data: 2026-11-20T12:00:00.000Z}
  hides: [keys]
  allows: [unknown-outcome:data/ada@acme.example]
  > ! unknown-outcome: additions to team acc-1/data
  > idle-allowance: allowance unknown-outcome:data/ada
shown without the team, and perhaps added by us, is added where a person says so
  open: {add ada to Data as t-data}
  allows: [unknown-outcome:data/ada@acme.example]
  > add ada to Data
shown without the team, and perhaps added by us a moment ago, is not mailed again whatever a person says
  open: {add ada to Data as t-data: 2026-11-20T12:00:00.000Z}
  allows: [unknown-outcome:data/ada@acme.example]
  > ! unknown-outcome: additions to team acc-1/data
  > idle-allowance: allowance unknown-outcome:data/ada
hidden, and another's place by a person's word, is not added
  hides: [keys]
  allows: [unproven-absence:ops/ada@acme.example]
  > ! unproven-absence: member ada of team acc-1/data
  > idle-allowance: allowance unproven-absence:ops/ada
hidden, and known by the roster, is a member whatever is said about all
  teams: {Data: {members: [{user: ada, key: k-1}]}}
  hides: [keys]
  allows: [unproven-absence:*]
perhaps added by a run that never learned it, is not mailed again for a word about all
  open: {add ada to Data as t-data}
  hides: [keys]
  allows: [unproven-absence:*]
  > ! unknown-outcome: additions to team acc-1/data
perhaps added by a run that never learned it, is added where a person says that they are not in the team
  open: {add ada to Data as t-data}
  hides: [keys]
  allows: [unknown-outcome:data/ada@acme.example]
  > add ada to Data
shown as a member is not added, whatever a person says
  there: {ada: {in: {Data: []}}}
  allows: [unproven-absence:*]
shown as a member, whatever a run never learned, is not added
  there: {ada: {in: {Data: []}}}
  open: {add ada to Data as t-data}
`;

test("members join in one call, by address, new people after their creation", () => {
  const plan = planned(
    partsOf(`
there: {root: {in: {Data}}, bo}
users: {ada, bo, cy}
teams: {Data: {open: true, members: [cy, bo, ada]}}
`),
  );
  expect(plan.actions.map(({ id, dependsOn }) => [id, ...dependsOn])).toEqual([
    ["create-user:ada@acme.example"],
    ["create-user:cy@acme.example"],
    ["add-members:acc-1/data", "create-user:ada@acme.example", "create-user:cy@acme.example"],
  ]);
  expect(plan.actions[2]).toMatchObject({
    members: [
      { address: "ada@acme.example" },
      { address: "bo@acme.example", request: anyDigest },
      { address: "cy@acme.example" },
    ],
  });
  const created = { known: "unknown", why: "this plan creates the user" };
  expect([...plan.users]).toEqual([
    ["ada@acme.example", { email: "ada@acme.example", identifier: created }],
    ["cy@acme.example", { email: "cy@acme.example", identifier: created }],
    ["bo@acme.example", { email: "bo@acme.example", identifier: { known: "observed", value: "u-bo", by: "list" } }],
  ]);
});
