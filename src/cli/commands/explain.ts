import { catalogue, catalogueEntries } from "../../codes/catalogue.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { closestMatch, foldAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { type Roster, usersByAddress } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import { findInSync } from "../../plan/in-sync.ts";
import {
  type ExplainContext,
  type ExplainTarget,
  explainFromSavedPlan,
  explainTarget,
} from "../../report/explain/explain.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { findPlan } from "../plan-file/plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";
import { planWithoutLock } from "../planning/plan-without-lock.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";

/** Explains one thing, or what a code means. Changes nothing. A code needs no service. */
export function explain(
  what: string | undefined,
  paths: readonly string[],
  flags: Flags,
  host: Host,
): Promise<FinishedCommand> {
  return runCommand("explain", flags, host, async (command) => {
    if (what === undefined)
      throw invalidSetting(
        "usage",
        "Missing argument: what to explain.",
        "Name user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint or a code; `roster explain codes` lists every code.",
      );
    if (what === "codes") return command.tell({ explanation: { of: "codes", codes: catalogue, as: "list" } });
    const codes = catalogueEntries(what);
    if (codes.length > 0) return command.tell({ explanation: { of: "codes", codes, as: "whole" } });
    const thing = thingOf(what);
    if (thing === undefined) throw unknownCode(what);
    if (thing.name === "")
      throw invalidSetting("unknown-name", `${what} has nothing after the colon.`, howToName[thing.is]);
    const found = await findPlan(paths, host);
    if (found.is === "plan") {
      if (flags.from !== undefined)
        throw invalidSetting(
          "usage",
          "--from cannot be said of a plan that was saved: it is explained as it is.",
          "Name the roster in place of the plan, or leave --from out.",
        );
      const { plan } = await readSavedPlan(found);
      const things = explainFromSavedPlan(thing, plan);
      if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
      throw invalidSetting(
        "unknown-name",
        `The plan ${plan.id} in ${found.path} holds nothing about ${what}.`,
        "A saved plan holds only what it does and finds: leave the file out to ask the service.",
      );
    }
    const { stdin } = found;
    // Only the list of all users tells about a thing that neither the roster nor the state names.
    const everyone = (roster: Roster, state: State) => (isNamed(thing, roster, state) ? "when-needed" : "always");
    const { loaded, planned } = await planWithoutLock(command, { paths, flags, stdin, everyone });
    const { roster } = loaded;
    const { plan, snapshot, state, refusal } = planned;
    const inSync = findInSync(planned.context);
    const context = { roster, snapshot, state, plan, inSync, refused: refusal?.problem?.message };
    const things = explainTarget(thing, context);
    if (things.length > 0) return command.tell({ explanation: { of: "things", things } });
    throw unknownThing(what, thing, context);
  });
}

const howToName: Readonly<Record<ExplainTarget["is"], string>> = {
  user: "Write user:EMAIL as the roster has it.",
  team: "Write team:NAME, or team:IDENTIFIER.",
  key: "Write key:PREFIX, which is compared exactly.",
  role: "Write role:NAME, which is compared exactly.",
  action: "`roster plan --format json` names the actions by their ids.",
  finding: "`roster plan --format json` names the findings; those about what is beyond the roster take --unmanaged.",
};

const kinds: Readonly<Record<string, (name: string) => ExplainTarget>> = {
  user: (name) => ({ is: "user", name: foldAddress(name) }),
  team: (name) => ({ is: "team", name }),
  key: (name) => ({ is: "key", name }),
  role: (name) => ({ is: "role", name }),
  fingerprint: (name) => ({ is: "finding", name: name.toLowerCase() }),
};

/** The thing that somebody means; nothing where the words can only be a code. */
function thingOf(what: string): ExplainTarget | undefined {
  const [, kind = "", name = ""] = /^([a-z]+):(.*)$/isu.exec(what) ?? [];
  const made = Object.hasOwn(kinds, kind.toLowerCase()) ? kinds[kind.toLowerCase()] : undefined;
  if (made !== undefined) return made(name.trim());
  if (what.includes(":")) return { is: "action", name: what };
  if (/^[0-9a-f]{16}$/u.test(what)) return { is: "finding", name: what };
  return what.includes("@") ? { is: "user", name: foldAddress(what) } : undefined;
}

/** By what the roster and the state name such things. */
function knownNames({ is }: ExplainTarget, roster: Roster, state: State): readonly (string | undefined)[] {
  const { users, leavers, teams, keys, roleSets } = roster;
  switch (is) {
    case "user":
      return [...usersByAddress(roster).keys(), ...leavers.keys(), ...state.users.keys()];
    case "team":
      return [
        ...teams.flatMap((team) => [team.name, team.identifier?.value, ...team.previously.map(({ value }) => value)]),
        ...[...state.teams.values()].flatMap(({ name, identifier }) => [name, identifier]),
      ];
    case "key":
      return [
        ...keys.map(({ prefix }) => prefix),
        ...[...users.values(), ...teams.flatMap(({ members }) => members)].map(({ key }) => key?.value),
        ...state.keys.keys(),
        ...[...state.users.values()].map(({ key }) => key),
        ...[...state.memberships.values()].map(({ prefix }) => prefix),
      ];
    case "role":
      return [
        ...[...users.values()].flatMap(({ ownKeyRoles }) => ownKeyRoles?.value ?? []),
        ...[...teams.flatMap(({ members }) => members), ...keys].flatMap(({ roles = [] }) => roles),
        ...[...roleSets.values()].flatMap(({ value }) => value),
      ];
    case "action":
    case "finding":
      return [];
  }
}

/** Whether a plan reads a thing anyway. Of what nobody names, only the whole list of users can tell. */
function isNamed(thing: ExplainTarget, roster: Roster, state: State): boolean {
  const known = knownNames(thing, roster, state);
  switch (thing.is) {
    case "user":
      return known.includes(thing.name);
    case "team":
      return known.some((name) => name !== undefined && foldName(name) === foldName(thing.name));
    case "key":
      return known.includes(thing.name);
    case "role":
      // The question who has a role is about everybody.
      return false;
    case "action":
    case "finding":
      return true;
  }
}

function unknownCode(what: string): RosterError {
  const close = closestMatch(
    what,
    catalogue.map(({ code }) => code),
  );
  const forms =
    "`roster explain codes` lists every code; a thing is written as user:EMAIL, team:NAME, key:PREFIX or role:NAME.";
  const hint = close === undefined ? forms : `Did you mean ${close}? ${forms}`;
  return invalidSetting("unknown-name", `Unknown code ${what}.`, hint);
}

function unknownThing(what: string, thing: ExplainTarget, known: ExplainContext): RosterError {
  const { plan, roster, state, snapshot } = known;
  const isOfPlan = thing.is === "action" || thing.is === "finding";
  const others = {
    action: plan.actions.map(({ id }) => id),
    finding: plan.findings.map(({ fingerprint }) => fingerprint),
    role: (factValue(snapshot.roles) ?? []).map(({ identifier }) => identifier),
    ...{ user: [], team: [], key: [] },
  }[thing.is];
  const names = [...knownNames(thing, roster, state).filter((one) => one !== undefined), ...others];
  const close = closestMatch(thing.name, names);
  const message = isOfPlan
    ? `The plan has no ${thing.is} ${what}.`
    : `${what} is not in the roster, the service, the state or the plan.`;
  return invalidSetting("unknown-name", message, close === undefined ? howToName[thing.is] : `Did you mean ${close}?`);
}
