import { factValue } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { Roster } from "../../model/roster.ts";
import { closestMatch } from "../../model/similarity.ts";
import { catalogue } from "../../report/codes/catalogue.ts";
import type { ExplainContext, ExplainTarget } from "../../report/explain/explanation.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { namedKind } from "./what.ts";

const code = "unknown-thing";

/** Words that are no code, with the code that they are nearest to. */
export function unknownCode(what: string): CommandError {
  const close = closestMatch(
    what,
    catalogue.map((entry) => entry.code),
  );
  const forms =
    "`roster explain --codes` lists every code; a thing is written as user:EMAIL, team:NAME, key:PREFIX or role:NAME";
  return invalidSetting(
    code,
    `There is no code ${what}.`,
    close === undefined ? `${forms}.` : `Did you mean ${close}? ${forms}.`,
  );
}

/** A kind of thing without the name of one. */
export function namelessThing(what: string, thing: ExplainTarget): CommandError {
  return invalidSetting(code, `${what} names ${thing.is === "user" ? "nobody" : "nothing"}.`, otherwise[thing.is]);
}

/** A thing that neither the roster nor the service, the state or the plan knows. */
export function unknownThing(what: string, thing: ExplainTarget, known: ExplainContext): CommandError {
  const names = candidates(thing, known);
  const close = closestMatch(namedKind(what)?.name ?? what, names);
  const message =
    thing.is === "action" || thing.is === "finding"
      ? `The plan has no ${thing.is} ${what}.`
      : `Neither the roster nor the service, the state or the plan knows ${what}.`;
  return invalidSetting(code, message, close === undefined ? otherwise[thing.is] : `Did you mean ${close}?`);
}

function candidates(thing: ExplainTarget, { roster, state, plan, snapshot }: ExplainContext): readonly string[] {
  switch (thing.is) {
    case "user":
      return [...roster.users.values(), ...roster.leavers.values(), ...state.users.values()].map(({ email }) => email);
    case "team":
      return [...roster.teams, ...state.teams.values()].map(({ name }) => name);
    case "key":
      return [...roster.keys.map(({ prefix }) => prefix), ...state.keys.keys()];
    case "role":
      return [
        ...new Set([...rolesIn(roster), ...(factValue(snapshot.roles) ?? []).map(({ identifier }) => identifier)]),
      ];
    case "action":
      return plan.actions.map(({ id }) => id);
    case "finding":
      return plan.findings.map(({ fingerprint }) => fingerprint);
  }
}

function rolesIn({ users, teams, keys, roleSets }: Roster): readonly string[] {
  return [
    ...[...users.values()].flatMap(({ ownKeyRoles }) => ownKeyRoles?.value ?? []),
    ...teams.flatMap(({ members }) => members.flatMap(({ roles = [] }) => roles)),
    ...keys.flatMap(({ roles }) => roles),
    ...[...roleSets.values()].flatMap(({ value }) => value),
  ];
}

const otherwise: Readonly<Record<ExplainTarget["is"], string>> = {
  user: "Write user:EMAIL as the roster has it.",
  team: "Write team:NAME, or team:IDENTIFIER.",
  key: "Write key:PREFIX, which is compared exactly.",
  role: "Write role:NAME, which is compared exactly.",
  action: "`roster plan --format json` names the actions by their ids.",
  finding: "`roster plan --format json` names the findings; those about what is beyond the roster take --unmanaged.",
};

/** A thing about which a saved plan holds nothing. */
export function notInPlan(what: string, path: string, { id }: Plan): CommandError {
  return invalidSetting(
    code,
    `The plan ${id} in ${path} holds nothing about ${what}.`,
    "A saved plan holds only what it does and finds: leave the file out to ask the service.",
  );
}
