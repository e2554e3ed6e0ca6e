import { expect, test } from "vitest";
import { type Knobs, knobRegistry } from "../../../src/reference-server/knobs/registry.ts";
import { boInAir, conversation } from "./conversation.ts";

/** Each shape of an answer, with its statuses where each of these is chosen. */
const cases = [
  {
    step: "create ada {team: {name: Sea}}",
    shape: "create",
    status: "createStatus",
    chosen: [200, 201, 202],
    own: { C9: 202 },
  },
  { step: "add u-1", shape: "members", status: "membersStatus", chosen: [200, 201, 204], own: { M7: 202 } },
  {
    step: "put own1 DEVELOPER",
    shape: "putRolesAnswer",
    status: "putRolesStatus",
    chosen: [200, 204],
    own: { accepted: 202 },
  },
] as const;

test.each(cases)(
  "an answer in any $shape has the $status that is chosen, except a later one, and is done",
  async (told) => {
    const { step, shape, status, chosen } = told;
    const knob = knobRegistry.get(shape);
    if (knob?.is !== "choice") throw new Error(`${shape} is no choice`);
    const own: Readonly<Record<string, number>> = told.own;
    for (const value of Object.keys(knob.values)) {
      for (const wanted of chosen) {
        const talk = await conversation(boInAir, { [shape]: value, [status]: String(wanted) } as Partial<Knobs>);
        const answered = await talk(`${step} | status @content-type`);
        expect([value, answered.split(" ")[0]]).toEqual([value, String(own[value] ?? wanted)]);
        if (answered.startsWith("204")) expect(answered).toBe("204 · -");
        const done = {
          create: "3 users, 2 teams",
          members: "[[bo@acme.example]]",
          putRolesAnswer: "[[{identifier: DEVELOPER}]]",
        };
        const look = {
          create: "show counts",
          members: "show teams | members",
          putRolesAnswer: "search u-1 | accessKeys.roles",
        };
        expect(await talk(look[shape])).toContain(done[shape]);
      }
    }
  },
);
