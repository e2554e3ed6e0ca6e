import { describe, expect, test } from "vitest";
import type { Action } from "../../../src/model/action.ts";
import { type ActionEnd, type ScheduleStep, scheduleOf } from "../../../src/run/schedule.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  createId,
  newPerson,
  newTeam,
  person,
  rolesOfAdded,
  rolesOfFirstMember,
  teamRef,
} from "../../support/action-builders.ts";
import { size } from "../../support/property-runs.ts";
import { addressOf } from "../../support/roster-builders.ts";

const done: ActionEnd = { is: "done" };
const notDone: ActionEnd = { is: "not-done" };

/** What a step sets free, by name: actions as they may start, skips with their causes. */
function told({ ready, skipped }: ScheduleStep) {
  return {
    ready: ready.map((action) =>
      action.kind === "add-members" ? `${action.id} with ${action.members.map(({ address }) => address)}` : action.id,
    ),
    skipped: skipped.map(({ action, cause }) => `${action} because of ${cause.action}`),
  };
}

function began(actions: readonly Action[]): ReturnType<typeof scheduleOf> {
  const schedule = scheduleOf(aPlan(actions));
  schedule.begin();
  return schedule;
}

const science = newTeam("Science", "ada");
const teamCreation = aCreation("ada", { createsTeam: "Science" });
const bo = aCreation("bo", { after: [teamCreation.id] });
const cy = aCreation("cy", { after: [teamCreation.id] });
const addition = anAddition(science, [newPerson("bo"), newPerson("cy"), person("dee", "u-4")]);
const firstMemberRoles = rolesOfFirstMember("ada", science, ["DEVELOPER"]);
const boRoles = rolesOfAdded("bo", science, ["DEVELOPER"]);
const deeRoles = rolesOfAdded("dee", science, ["DEVELOPER"]);
const all = [teamCreation, bo, cy, addition, firstMemberRoles, boRoles, deeRoles];

describe("schedule", () => {
  test("what waits for nothing may start at once, in the order of the plan", () => {
    const [dan, eve] = [aCreation("dan"), aCreation("eve")];
    const schedule = scheduleOf(aPlan([dan, bo, teamCreation, eve]));
    expect(told(schedule.begin())).toEqual({ ready: [dan.id, teamCreation.id, eve.id], skipped: [] });
  });

  test("an action starts when the last of its dependencies has ended", () => {
    const schedule = began(all);
    expect(told(schedule.end(teamCreation, done))).toEqual({ ready: [bo.id, cy.id, firstMemberRoles.id], skipped: [] });
    expect(told(schedule.end(bo, done))).toEqual({ ready: [], skipped: [] });
    expect(told(schedule.end(cy, done)).ready).toEqual([
      `${addition.id} with bo@acme.example,cy@acme.example,dee@acme.example`,
    ]);
    expect(told(schedule.end(addition, done))).toEqual({ ready: [boRoles.id, deeRoles.id], skipped: [] });
  });

  test("a creation of a team that did not succeed takes with it all that is about the team, naming the creation of a team", () => {
    const schedule = began(all);
    const because = (id: string) => `${id} because of ${teamCreation.id}`;
    expect(told(schedule.end(teamCreation, notDone))).toEqual({
      ready: [],
      skipped: [bo, cy, firstMemberRoles, addition, boRoles, deeRoles].map(({ id }) => because(id)),
    });
  });

  test("a person whose creation did not succeed falls away alone, and their roles name that creation", () => {
    const schedule = began(all);
    schedule.end(teamCreation, done);
    schedule.end(bo, notDone);
    expect(told(schedule.end(cy, done)).ready).toEqual([`${addition.id} with cy@acme.example,dee@acme.example`]);
    expect(told(schedule.end(addition, done))).toEqual({
      ready: [deeRoles.id],
      skipped: [`${boRoles.id} because of ${bo.id}`],
    });
  });

  test("a person whom the service did not add loses only what needs their key", () => {
    const schedule = began(all);
    schedule.end(teamCreation, done);
    schedule.end(bo, done);
    schedule.end(cy, done);
    expect(told(schedule.end(addition, { is: "done", without: [addressOf("dee")] }))).toEqual({
      ready: [boRoles.id],
      skipped: [`${deeRoles.id} because of ${addition.id}`],
    });
  });

  test("an addition of which nobody is left is skipped, and passes the first cause on", () => {
    const team = teamRef("Ops", "t-1");
    const [dan, eve] = [aCreation("dan"), aCreation("eve")];
    const both = anAddition(team, [newPerson("dan"), newPerson("eve")]);
    const eveRoles = rolesOfAdded("eve", team, []);
    const schedule = began([dan, eve, both, eveRoles]);
    schedule.end(dan, notDone);
    expect(told(schedule.end(eve, notDone)).skipped).toEqual([
      `${both.id} because of ${dan.id}`,
      `${eveRoles.id} because of ${dan.id}`,
    ]);
  });

  test("a first member whose administrator could not be created is not created either", () => {
    const admin = aCreation("ada");
    const firstMember = aCreation("bo", { createsTeam: "Ops", admin: newPerson("ada"), after: [createId("ada")] });
    expect(told(began([admin, firstMember]).end(admin, notDone)).skipped).toEqual([
      `${firstMember.id} because of ${admin.id}`,
    ]);
  });

  test("a cause says in words what did not succeed", () => {
    const step = began(all).end(teamCreation, notDone);
    expect(step.skipped[0]?.cause.why).toBe("creating ada@acme.example failed");
  });

  test("a chain of skips as long as the plan is followed without deep recursion", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      aCreation(`p${index}`, { after: index === 0 ? [] : [createId(`p${index - 1}`)] }),
    );
    const [first] = chain;
    if (first === undefined) throw new Error("the chain is empty");
    expect(began(chain).end(first, notDone).skipped).toHaveLength(19_999);
  });

  test("the work grows with the dependencies, not with their square", () => {
    const count = size(40_000);
    const people = Array.from({ length: count }, (_, index) => aCreation(`p${index}`));
    const team = teamRef("Everyone", "t-1");
    const everyone = anAddition(
      team,
      people.map((_, index) => newPerson(`p${index}`)),
    );
    const roles = people.map((_, index) => rolesOfAdded(`p${index}`, team, []));
    const schedule = began([...people, everyone, ...roles]);
    for (const creation of people) schedule.end(creation, done);
    expect(schedule.end(everyone, done).ready).toHaveLength(count);
  });
});
