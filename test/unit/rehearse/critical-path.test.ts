import { expect, test } from "vitest";
import { criticalPath } from "../../../src/rehearse/critical-path.ts";
import { aCreation, addId, anAddition, createId, newPerson, newTeam } from "../../support/action-builders.ts";

test("the longest chain is told from its first action to its last", () => {
  const plan = [
    aCreation("ada"),
    aCreation("bo", { founds: "Red", after: [createId("ada")] }),
    aCreation("cy", { after: [createId("bo")] }),
    aCreation("dee"),
    anAddition(newTeam("Red", "bo"), [newPerson("cy"), newPerson("dee")]),
  ];
  expect(criticalPath(plan)).toEqual([createId("ada"), createId("bo"), createId("cy"), addId("Red")]);
});

test("of chains of one length the first counts, and an empty plan has none", () => {
  expect(criticalPath([aCreation("ada"), aCreation("bo")])).toEqual([createId("ada")]);
  expect(criticalPath([])).toEqual([]);
});
