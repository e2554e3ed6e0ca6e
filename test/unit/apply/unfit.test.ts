import { describe, expect, test } from "vitest";
import type { StaleActions } from "../../../src/apply/unfit.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import {
  aCreation,
  addId,
  anAddition,
  createId,
  newPerson,
  person,
  rolesOfAdded,
  teamRef,
} from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService } from "../../support/apply-run.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const why = "what is recorded of them has moved";

function unfitFor({
  actions = [],
  members = [],
}: {
  actions?: readonly string[];
  members?: readonly string[];
}): StaleActions {
  const team = teamKeyOf("acc-1", "Ops");
  return {
    actions: new Map(actions.map((action) => [action, why])),
    members: new Map(members.map((name) => [membershipKeyOf(team, addressOf(name)), `${name}: ${why}`])),
  };
}

function ops() {
  const world = aWorld();
  const [ada, bo] = [putUser(world, { email: "ada@acme.example" }), putUser(world, { email: "bo@acme.example" })];
  const { identifier } = putTeam(world, { name: "Ops" });
  const team = teamRef("Ops", identifier);
  const members = [person("ada", ada.identifier), person("bo", bo.identifier)];
  return { service: emptyService({ world }), team, members, identifier };
}

describe("what does not fit any more", () => {
  test("is stale without a read or a call, and what depends on it is skipped", async () => {
    const { service, team } = ops();
    const addition = anAddition(team, [newPerson("cy")]);
    const unfit = unfitFor({ actions: [createId("cy")] });
    const events = await applied([aCreation("cy"), addition], service, { unfit });
    expect(aboutAction(events, createId("cy"))).toEqual([`stale ${createId("cy")}: ${why}`]);
    expect(aboutAction(events, addition.id)[0]).toContain(`skipped ${addition.id} because of ${createId("cy")}`);
    expect(service.calls).toEqual([]);
  });

  test("of an addition is one person: the others are added, and their keys alone are replaced", async () => {
    const { service, team, members, identifier } = ops();
    const actions = [
      anAddition(team, members),
      ...["ada", "bo"].map((name) => rolesOfAdded(name, team, ["DEVELOPER"])),
    ];
    const events = await applied(actions, service, { unfit: unfitFor({ members: ["ada"] }) });
    expect(service.outbox).toEqual([{ email: "bo@acme.example", team: identifier }]);
    expect(events.find((event) => event.type === "succeeded")).toMatchObject({
      learned: {
        members: [
          { address: addressOf("bo"), outcome: { added: true } },
          {
            address: addressOf("ada"),
            outcome: { added: false, failure: { code: "unproven", message: `ada: ${why}` } },
          },
        ],
      },
    });
    expect(actions.slice(1).map(({ id }) => aboutAction(events, id).at(-1)?.split(" ")[0])).toEqual([
      "skipped",
      "succeeded",
    ]);
  });

  test("of an addition is everybody: the whole of it is stale, for the reasons of each", async () => {
    const { service, team, members } = ops();
    const unfit = unfitFor({ members: ["ada", "bo"] });
    const events = await applied([anAddition(team, members)], service, { unfit });
    const id = addId("Ops");
    expect(aboutAction(events, id)).toEqual([`stale ${id}: ada: ${why}; bo: ${why}`]);
    expect(service.calls).toEqual([]);
  });
});
