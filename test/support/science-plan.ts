import type { Action } from "../../src/model/plan.ts";
import {
  aCreation,
  addId,
  anAddition,
  createId,
  newPerson,
  newTeam,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
} from "./action-builders.ts";

export const science = newTeam("Science", "ada");
export const adaFoundsScience = aCreation("ada", { createsTeam: "Science", roles: ["DEVELOPER"] });

/** Everything that a plan can ask for: ada creates Science, bo is created, added to it, and all keys are made exact. */
export const everything: readonly Action[] = [
  adaFoundsScience,
  rolesOfFirstMember("ada", science, ["DEVELOPER"]),
  aCreation("bo", { after: [createId("ada")] }),
  rolesOfOwnKey("bo", []),
  anAddition(science, [newPerson("bo")]),
  rolesOfAdded("bo", science, ["DEVELOPER"]),
];

export const [teamCreation, addition] = [createId("ada"), addId("Science")];
export const [firstMemberRoles, boRoles] = [rolesId("ada", "Science"), rolesId("bo", "Science")];
