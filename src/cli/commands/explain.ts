import { catalogue } from "../../codes/catalogue.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { closestMatch, foldAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { type Roster, usersByAddress } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import { findInSync } from "../../plan/in-sync.ts";
import { type ExplainTarget, explainFromSavedPlan, explainTarget } from "../../report/explain/explain.ts";
import type { Flags } from "../flags.ts";
import { findPlan, readSavedPlan } from "../plan-file.ts";
import { planWithoutLock } from "../planning.ts";
import type { Command } from "../run-command.ts";

/** Explains one thing, or what a code means. Changes nothing. A code needs no service. */
export async function explain(
  command: Command,
  what: string | undefined,
  paths: readonly string[],
  flags: Flags,
): Promise<void> {
  if (what === undefined) {
    const hint =
      "Name user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint or a code; `roster explain codes` lists every code.";
    throw invalidSetting("usage", "Missing argument: what to explain.", hint);
  }
  if (what === "codes") return command.tell({ explanation: { of: "codes", codes: catalogue(), as: "list" } });
  const codes = catalogue(what);
  if (codes.length > 0) return command.tell({ explanation: { of: "codes", codes, as: "whole" } });
  const thing = thingOf(what);
  const found = await findPlan(paths, command.host);
  if (found.is === "plan") {
    if (flags.from !== undefined) {
      const message = "--from does not work with a saved plan: roster explains the plan as it is.";
      throw invalidSetting("usage", message, "Name the roster in place of the plan, or leave --from out.");
    }
    const { plan } = await readSavedPlan(found);
    const things = explainFromSavedPlan(thing, plan);
    if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
    const hint = "A saved plan has only its own actions and findings. To ask the service, leave the file out.";
    throw invalidSetting("unknown-name", `The plan ${plan.id} in ${found.path} has nothing about ${what}.`, hint);
  }
  const { stdin } = found;
  // Only the list of all users tells about a thing that neither the roster nor the state names.
  const everyone = (roster: Roster, state: State) => (isNamed(thing, roster, state) ? "when-needed" : "always");
  const { loaded, planned } = await planWithoutLock(command, { paths, flags, stdin, everyone });
  const { roster } = loaded;
  const { plan, snapshot, state, refusal } = planned;
  const inSync = findInSync(planned.context);
  const things = explainTarget(thing, { roster, snapshot, state, plan, inSync, refused: refusal?.problem?.message });
  if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
  const { is } = thing;
  const isOfPlan = is === "action" || is === "finding";
  const others = {
    action: plan.actions.map(({ id }) => id),
    finding: plan.findings.map(({ fingerprint }) => fingerprint),
    role: (factValue(snapshot.roles) ?? []).map(({ identifier }) => identifier),
    ...{ user: [], team: [], key: [] },
  }[is];
  const message = isOfPlan
    ? `The plan has no ${is} ${what}.`
    : `${what} is not in the roster, the service, the state or the plan.`;
  const names = [...knownNames(thing, roster, state), ...others];
  throw unknownName(message, thing.name, names, (near) => near ?? howToName[is]);
}

function unknownName(
  message: string,
  name: string,
  known: readonly string[],
  hint: (near: string | undefined) => string,
): RosterError {
  const close = closestMatch(name, known);
  return invalidSetting("unknown-name", message, hint(close && `Did you mean ${close}?`));
}

const howToName: Readonly<Record<ExplainTarget["is"], string>> = {
  user: "Write user:EMAIL as the roster has it.",
  team: "Write team:NAME, or team:IDENTIFIER.",
  key: "Write key:PREFIX, which is compared exactly.",
  role: "Write role:NAME, which is compared exactly.",
  action: "`roster plan --format json` names the actions by their ids.",
  finding: "`roster plan --format json` names the findings. For users and keys outside the roster, add --unmanaged.",
};

/** The thing that somebody means. What has no colon and no @ can only be a code. */
function thingOf(what: string): ExplainTarget {
  const [, written = "", rest = ""] = /^([a-z]+):(.*)$/isu.exec(what) ?? [];
  const [kind, name] = [written.toLowerCase(), rest.trim()];
  const is =
    kind === "fingerprint" ? "finding" : (["user", "team", "key", "role"] as const).find((one) => one === kind);
  if (is !== undefined && name === "")
    throw invalidSetting("unknown-name", `${what} has nothing after the colon.`, howToName[is]);
  if (is === "user") return { is, name: foldAddress(name) };
  if (is !== undefined) return { is, name: is === "finding" ? name.toLowerCase() : name };
  if (what.includes(":")) return { is: "action", name: what };
  if (/^[0-9a-f]{16}$/u.test(what)) return { is: "finding", name: what };
  if (what.includes("@")) return { is: "user", name: foldAddress(what) };
  const forms =
    "`roster explain codes` lists every code. For one thing, write user:EMAIL, team:NAME, key:PREFIX or role:NAME.";
  const codes = catalogue().map(({ code }) => code);
  throw unknownName(`Unknown code ${what}.`, what, codes, (near) => (near === undefined ? forms : `${near} ${forms}`));
}

/** By what the roster and the state name such things. */
function knownNames({ is }: ExplainTarget, roster: Roster, state: State): readonly string[] {
  const { users, leavers, teams, keys, roleSets } = roster;
  const members = teams.flatMap((team) => team.members);
  const names: Readonly<Record<ExplainTarget["is"], readonly (string | undefined)[]>> = {
    user: [...usersByAddress(roster).keys(), ...leavers.keys(), ...state.users.keys()],
    team: [
      ...teams.flatMap((team) => [team.name, team.identifier?.value, ...team.previously.map(({ value }) => value)]),
      ...[...state.teams.values()].flatMap(({ name, identifier }) => [name, identifier]),
    ],
    key: [
      ...keys.map(({ prefix }) => prefix),
      ...[...users.values(), ...members].map(({ key }) => key?.value),
      ...state.keys.keys(),
      ...[...state.users.values()].map(({ key }) => key),
      ...[...state.memberships.values()].map(({ prefix }) => prefix),
    ],
    role: [
      ...[...users.values()].flatMap(({ ownKeyRoles }) => ownKeyRoles?.value ?? []),
      ...[...members, ...keys].flatMap(({ roles = [] }) => roles),
      ...[...roleSets.values()].flatMap(({ value }) => value),
    ],
    ...{ action: [], finding: [] },
  };
  return names[is].filter((name) => name !== undefined);
}

/** Whether a plan reads a thing anyway. Of what nobody names, only the whole list of users can tell; who has a role is asked of everybody. */
function isNamed(thing: ExplainTarget, roster: Roster, state: State): boolean {
  const { is, name } = thing;
  if (is === "role") return false;
  if (is === "action" || is === "finding") return true;
  const known = knownNames(thing, roster, state);
  return is === "team" ? known.some((one) => foldName(one) === foldName(name)) : known.includes(name);
}
