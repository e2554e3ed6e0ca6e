import type { Action, KeyRef } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue, type Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";

/** Whether an action or a finding is about something. */
export interface PlanFilter {
  action(action: Action): boolean;
  finding(finding: Finding): boolean;
}

/** About a person: made, added, or given roles; or needed for it. */
export function personFilter(address: FoldedAddress, entry: Reason | undefined): PlanFilter {
  const isTheirs = (key: KeyRef) => key.of !== "prefix" && key.address === address;
  return {
    action(action) {
      switch (action.kind) {
        case "create-user":
          return action.address === address || action.founds?.admin?.address === address;
        case "add-members":
          return action.members.some((member) => member.address === address);
        case "replace-roles":
          return action.owner?.address === address || isTheirs(action.key);
      }
    },
    finding: ({ subject, because, restsOn }) =>
      subject.split(" ").includes(address) ||
      because.some((link) => link.person === address || isSameReason(link, entry)) ||
      restsOn.some(({ about }) => about === `user ${address}`),
  };
}

/** About a team: founded, joined, or a key in it. */
export function teamFilter(team: string, entry: Reason | undefined): PlanFilter {
  return {
    action(action) {
      switch (action.kind) {
        case "create-user":
          return action.founds?.team === team;
        case "add-members":
          return action.team.team === team;
        case "replace-roles":
          return action.key.of !== "own-key" && action.key.team?.team === team;
      }
    },
    finding: ({ subject, because }) =>
      subject.endsWith(`team ${team}`) || because.some((link) => isSameReason(link, entry)),
  };
}

/** About a key: its roles. */
export function keyFilter(prefix: string): PlanFilter {
  return {
    action: (action) =>
      action.kind === "replace-roles" && action.key.of === "prefix" && factValue(action.key.prefix) === prefix,
    finding: ({ subject, restsOn }) =>
      subject.endsWith(`key ${prefix}`) || restsOn.some(({ about }) => about.endsWith(`key ${prefix}`)),
  };
}

/** About a role: given, taken, or named in a finding; and what keeps somebody from it to whom the roster gives it. */
export function roleFilter(role: string, missing: readonly string[] = []): PlanFilter {
  const subjects = new Set([`role ${role}`, ...missing]);
  return {
    action: (action) => roleEffect(action, role) !== undefined,
    finding: ({ code, subject, message }) => {
      if (subjects.has(subject) || subject.startsWith(`${role} on `)) return true;
      // It lists every role that the service offers.
      return code !== "unknown-role" && wordsOf(message).has(role);
    },
  };
}

function wordsOf(message: string): ReadonlySet<string> {
  return new Set(message.split(/[^\p{L}\p{N}_.:@/-]+|[.,:]+(?=\s|$)/u));
}

/** What an action does about a role, where it does anything. */
export interface RoleEffect {
  readonly is: "gives" | "takes";
  /** Of the key, where it is known. */
  readonly prefix?: string;
}

/** Whether an action gives a role, if only for a moment as the creation of a team may, or takes it. */
export function roleEffect(action: Action, role: string): RoleEffect | undefined {
  switch (action.kind) {
    case "create-user": {
      const { accessKeyRoles = [], grantsForAMoment = [] } = action.founds ?? {};
      return accessKeyRoles.includes(role) || grantsForAMoment.includes(role) ? { is: "gives" } : undefined;
    }
    case "add-members":
      return undefined;
    case "replace-roles": {
      const { key, before, roles } = action;
      const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
      const of = prefix === undefined ? {} : { prefix };
      const had = factValue(before)?.includes(role) === true;
      if (had === roles.includes(role)) return undefined;
      return { is: had ? "takes" : "gives", ...of };
    }
  }
}

function isSameReason(link: Reason, entry: Reason | undefined): boolean {
  if (entry === undefined) return false;
  return link.as === entry.as && link.file === entry.file && link.line === entry.line && link.column === entry.column;
}
