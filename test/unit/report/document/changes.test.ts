import { expect, test } from "vitest";
import { observed } from "../../../../src/model/fact.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { documentOf } from "../../../../src/report/document/document.ts";
import { plainText } from "../../../../src/report/document/tree.ts";
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

const ops = teamRef("Ops", "t-1");
const red = newTeam("Red", "ada");

/** Each group of changes: its title, its people with what happens to them, and its calls. */
function groups(plan: Plan) {
  const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan });
  const blocks = sections.flatMap((section) => (plainText(section.title ?? []) === "Changes" ? section.blocks : []));
  return blocks.flatMap((block) =>
    block.kind !== "entries"
      ? []
      : [
          {
            title: plainText(block.title ?? []),
            people: block.entries.map(({ mark, about, what }) => `${mark} ${plainText(about)}: ${plainText(what)}`),
            calls: [...new Set(block.entries.flatMap(({ actions }) => actions))],
          },
        ],
  );
}

test("a plan is told team by team with their people, then by people outside of teams", () => {
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
  expect(groups(plan)).toEqual([
    {
      title: "Team Red (new, admin ada@acme.example): 2 people, 4 calls, 1 mail",
      people: [
        "+ ada@acme.example (Ada Test): new, creates the team, exactly TEAM_ROLE",
        "+ bo@acme.example (Bo Test): invited by mail, exactly TEAM_ROLE",
      ],
      calls: [
        "create-user:ada@acme.example",
        "replace-roles:acc-1/red ada@acme.example",
        "add-members:acc-1/red",
        "replace-roles:acc-1/red bo@acme.example",
      ],
    },
    {
      title: "Team Ops (t-1): 2 people, 2 calls, 2 mails",
      people: [
        "+ bo@acme.example (Bo Test): new, invited by mail, roles chosen by the service",
        "+ dee@acme.example: invited by mail, roles chosen by the service",
      ],
      calls: ["create-user:bo@acme.example", "add-members:acc-1/ops"],
    },
    {
      title: "People and keys outside these teams: 2 people, 3 calls",
      people: [
        "+ cy@acme.example (Cy Test): new in acc-1, own key exactly DEVELOPER",
        "~ dee@acme.example: key p1 exactly no roles (before unknown: not shown)",
      ],
      calls: ["create-user:cy@acme.example", "replace-roles:cy@acme.example", "own"],
    },
  ]);
});

test("somebody's creation stands under the team that it creates, wherever they are added before", () => {
  const plan = aPlan([
    anAddition(ops, [newPerson("ada")]),
    aCreation("ada", { createsTeam: "Red", admin: person("bo") }),
  ]);
  expect(groups(plan).map(({ title, calls }) => [title, calls])).toEqual([
    ["Team Ops (t-1): 1 person, 1 call, 1 mail", ["add-members:acc-1/ops"]],
    ["Team Red (new, admin bo@acme.example): 1 person, 1 call", ["create-user:ada@acme.example"]],
  ]);
});
