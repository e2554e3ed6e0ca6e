import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { type Basis, factValue } from "../../model/fact.ts";
import { distinctReasons, type Reason } from "../../model/reason.ts";
import type { Question } from "../question.ts";
import { keySubject, userSubject } from "../subjects.ts";
import { bounded } from "./bounded.ts";
import type { GuardGround, Hold, HoldGuard, Withheld } from "./guard.ts";
import { distinctFacts, factsAbout, settingFact } from "./hold-facts.ts";

/**
 * Protects the people and keys of the settings' `protect`, such as the account of a last resort: nobody of them is created or
 * added to a team, and the roles of no key of theirs are replaced. That they are named as a new team's administrator
 * changes nothing about them. Nobody is protected until set; allowed with `--allow protected@PLANID`.
 */
export const protectedOnes: HoldGuard = { name: "protected", judge };

interface Touch {
  /** What would be done, in words. */
  readonly deed: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  readonly withheld: Withheld;
}

function judge({ question, actions }: GuardGround): readonly Hold[] {
  const { users, keys } = question.policy.guards.protected;
  if (users.length + keys.length === 0) return [];
  const holdersOf = holdersIn(question);
  const setting = (one: string) => settingFact("protect", one, question.policy.guards);
  return [
    ...users.flatMap((address) => {
      const touches = actions.flatMap((action) => touchesUser(action, address, holdersOf));
      return touches.length === 0 ? [] : [tell(userSubject(address), address, touches, setting(address))];
    }),
    ...keys.flatMap((prefix) => {
      const touches = actions.flatMap((action) => touchesKey(action, prefix));
      return touches.length === 0
        ? []
        : [tell(keySubject(prefix), `the key ${prefix}`, touches, setting(`the key ${prefix}`))];
    }),
  ];
}

function touchesUser(action: Action, address: FoldedAddress, holdersOf: Holders): readonly Touch[] {
  const touch = (withheld: Withheld): readonly Touch[] => [touchBy(action, address, withheld)];
  switch (action.kind) {
    case "create-user":
      return action.address === address ? touch({ of: "person", address }) : [];
    case "add-members": {
      const isMember = action.members.some((member) => member.address === address);
      return isMember ? touch({ of: "part", action: action.id, address }) : [];
    }
    case "replace-roles":
      return holdersOf(action).includes(address) ? touch({ of: "part", action: action.id }) : [];
  }
}

function touchBy(action: Action, address: FoldedAddress | undefined, withheld: Withheld): Touch {
  return { deed: deedOf(action), because: action.because, restsOn: factsAbout(action, address), withheld };
}

function deedOf(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return "the creation";
    case "add-members":
      return `the addition to team ${action.team.name}`;
    case "replace-roles":
      return `the replacement of the roles of ${keyWords(action.key)}`;
  }
}

function keyWords(key: KeyRef): string {
  switch (key.of) {
    case "own-key":
      return "the own key";
    case "team-key":
      return `the key in team ${key.team.name}`;
    case "prefix":
      return `the key ${factValue(key.prefix) ?? "that is not known yet"}`;
  }
}

type Holders = (action: ReplaceRoles) => readonly (FoldedAddress | undefined)[];

/** Everybody who holds the key according to the roster, the service or our records. */
function holdersIn({ holders }: Question): Holders {
  return ({ key, owner }) => {
    if (key.of !== "prefix") return [owner?.address, key.address];
    const prefix = factValue(key.prefix);
    if (prefix === undefined) return [owner?.address];
    const shown = holders.shown(prefix).map(({ holder }) => holder.address);
    return [owner?.address, ...shown, ...holders.recorded(prefix).map(({ address }) => address)];
  };
}

function touchesKey(action: Action, prefix: string): readonly Touch[] {
  if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
  if (factValue(action.key.prefix) !== prefix) return [];
  return [touchBy(action, undefined, { of: "part", action: action.id })];
}

function tell(subject: string, name: string, touches: readonly Touch[], setting: readonly Basis[]): Hold {
  const what = bounded(touches.map(({ deed }) => deed));
  const message =
    `The settings protect ${name}, so that no action touches what is theirs: ${what} ${touches.length === 1 ? "is" : "are"} left out. ` +
    "Make the roster ask for what is there, or take the entry out of `protect`.";
  return {
    subject,
    message,
    because: distinctReasons(touches.flatMap(({ because }) => because.slice(0, 1))),
    restsOn: distinctFacts([...setting, ...touches.flatMap(({ restsOn }) => restsOn)]),
    withholds: touches.map(({ withheld }) => withheld),
  };
}
