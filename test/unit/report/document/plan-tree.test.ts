import { expect, test } from "vitest";
import { observed } from "../../../../src/model/fact.ts";
import { type PersonNode, type PlanNode, planTree } from "../../../../src/report/document/plan-tree.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  aReplacement,
  newPerson,
  newTeam,
  person,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../../support/action-builders.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const ops = teamRef("Ops", "t-1");
const red = newTeam("Red", "ada");

const plan = aPlan([
  aCreation("ada", { createsTeam: "Red" }),
  aCreation("bo"),
  aCreation("cy"),
  rolesOfOwnKey("cy", ["DEVELOPER"]),
  anAddition(ops, [person("dee"), newPerson("bo")]),
  anAddition(red, [newPerson("bo")]),
  rolesOfFirstMember("ada", red, ["TEAM_ROLE"]),
  rolesOfAdded("bo", red, ["TEAM_ROLE"]),
  aReplacement("own", { of: "prefix", prefix: observed("p1", "search 1") }, [], { owner: person("dee") }),
]);

function inShort(node: PlanNode): unknown {
  if (node.is === "person") return personInShort(node);
  const { name, people, actions, mails, teamCreation } = node;
  return { team: name, people: people.map(personInShort), actions, mails, ...(teamCreation && { teamCreation }) };
}

function personInShort({ who, changes }: PersonNode): string {
  const name = who.is === "person" ? who.email.replace("@acme.example", "") : who.prefix;
  return `${name}: ${changes.map(({ is }) => is).join(" ")}`;
}

test("a plan is a tree of teams with their people, then of people outside of teams", () => {
  expect(planTree(plan).map(inShort)).toEqual([
    {
      team: "Red",
      people: ["ada: account membership roles", "bo: membership roles"],
      actions: [
        "create-user:ada@acme.example",
        "add-members:acc-1/red",
        "replace-roles:acc-1/red ada@acme.example",
        "replace-roles:acc-1/red bo@acme.example",
      ],
      mails: 1,
      teamCreation: {
        action: "create-user:ada@acme.example",
        firstMember: "ada@acme.example",
        admin: "ada@acme.example",
      },
    },
    {
      team: "Ops",
      people: ["bo: account roles membership roles", "dee: membership roles"],
      actions: ["create-user:bo@acme.example", "add-members:acc-1/ops"],
      mails: 2,
    },
    "cy: account roles",
    "dee: roles",
  ]);
});

test("each call of a plan belongs to one node of the first level, and its mails are those of the plan", () => {
  for (const one of [plan, samplePlan]) {
    const tree = planTree(one);
    expect(tree.flatMap(({ actions }) => actions).sort()).toEqual(one.actions.map(({ id }) => id).sort());
  }
});

test("a team says by whom it is administered and what the service calls it", () => {
  const teamCreation = aCreation("ada", { createsTeam: "Red", admin: person("bo") });
  const tree = planTree(aPlan([teamCreation, anAddition(ops, [person("bo")])]));
  expect(tree[0]).toMatchObject({
    account: "acc-1",
    teamCreation: { firstMember: "ada@acme.example", admin: "bo@acme.example" },
  });
  expect(tree[1]).toMatchObject({ name: "Ops", identifier: "t-1" });
});

test("somebody's creation stands under the team that it creates, wherever they are added before", () => {
  const [first, second] = planTree(
    aPlan([anAddition(ops, [newPerson("ada")]), aCreation("ada", { createsTeam: "Red" })]),
  );
  expect([first?.actions, second?.actions]).toEqual([["add-members:acc-1/ops"], ["create-user:ada@acme.example"]]);
});
