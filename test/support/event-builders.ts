import type { Intent, OpenIntent } from "../../src/model/call.ts";
import type { AddedMember, EventOf, LearnedOutcome, RunEvent } from "../../src/model/event.ts";
import type { Failure } from "../../src/model/failure.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { roleSet } from "../../src/model/values.ts";
import { addressOf, emailOf } from "./roster-builders.ts";

export const noon = "2026-11-20T12:00:00.000Z";
export const science = teamKeyOf("acc-1", "Science");

/** The intent of creating somebody, Ada Test or the like, alone or with a team. */
export function creationIntent(name: string, createsTeam?: string): Intent {
  const teamCreation = {
    team: teamKeyOf("acc-1", createsTeam ?? ""),
    name: createsTeam ?? "",
    accessKeyRoles: ["TEAM_ROLE"],
  };
  return {
    kind: "create-user",
    address: addressOf(name),
    email: emailOf(name),
    account: "acc-1",
    sent: { firstName: name, lastName: "Test" },
    ...(createsTeam === undefined ? {} : { createsTeam: teamCreation }),
  };
}

/** The intent of adding people to the team Science, which the service knows as t-1. */
export function additionIntent(...names: readonly string[]): Intent {
  const addresses = names.map((name) => addressOf(name));
  return { kind: "add-members", team: science, name: "Science", account: "acc-1", identifier: "t-1", addresses };
}

export function rolesIntent(prefix: string, ...roles: readonly string[]): Intent {
  return { kind: "replace-roles", prefix, roles: roleSet(roles) };
}

export function intended(run: string, action: string, intent: Intent, at = noon): EventOf<"intended"> {
  return { type: "intended", at, dated: { by: "service", at }, run, action, intent };
}

/** By the clock of a service that goes like ours. */
export function openIntent(run: string, action: string, intent: Intent, at = noon): OpenIntent {
  return { run, action, at, dated: { by: "service", at }, intent };
}

export function succeeded(action: string, learned: LearnedOutcome, at = noon): EventOf<"succeeded"> {
  return { type: "succeeded", at, action, learned };
}

export function runStarted(run: string): RunEvent {
  return { type: "run-started", at: noon, run, plan: "plan-1", service: "https://simulated.example", actions: 1 };
}

export function created(
  name: string,
  learned: Partial<Extract<LearnedOutcome, { kind: "create-user" }>> = {},
): LearnedOutcome {
  return { kind: "create-user", address: addressOf(name), answered: { firstName: name }, ...learned };
}

export function addedTo(...members: readonly AddedMember[]): LearnedOutcome {
  return { kind: "add-members", team: science, members };
}

export function added(name: string, prefix?: string): AddedMember {
  return { address: addressOf(name), outcome: { added: true }, ...(prefix === undefined ? {} : { prefix }) };
}

export function notAdded(name: string, failure: Failure): AddedMember {
  return { address: addressOf(name), outcome: { added: false, failure } };
}

export const refusedNo: Failure = { code: "refused", message: "no" };

export function failed(action: string, failure: Failure = refusedNo, at = noon): EventOf<"failed"> {
  return { type: "failed", at, action, failure };
}

export function declined(action: string, failure: Failure = refusedNo): EventOf<"declined"> {
  return { type: "declined", at: noon, action, failure };
}

export function memberRefused(action: string, name: string, failure: Failure = refusedNo): EventOf<"member-refused"> {
  return { type: "member-refused", at: noon, action, address: addressOf(name), failure };
}

export function unknownOutcome(
  action: string,
  more: Partial<EventOf<"unknown-outcome">> = {},
): EventOf<"unknown-outcome"> {
  return { type: "unknown-outcome", at: noon, action, failure: refusedNo, ...more };
}

/** What reading has shown of a call that a run announced: what it did, or that it did nothing, or nothing of either. */
export function resolved(
  run: string,
  action: string,
  as: LearnedOutcome | "not-done" | "unproven",
  { at = noon, except }: { readonly at?: string; readonly except?: readonly string[] } = {},
): EventOf<"resolved"> {
  const outcome = typeof as !== "string" ? ({ done: true, learned: as } as const) : undefined;
  const undone = as === "unproven" ? ({ done: false, unproven: true } as const) : ({ done: false } as const);
  const others = except === undefined ? {} : { except: except.map((name) => addressOf(name)) };
  return { type: "resolved", at, run, action, as: outcome ?? undone, ...others };
}

export function keyLearned(
  name: string,
  prefix: string,
  team?: EventOf<"key-learned">["team"],
): EventOf<"key-learned"> {
  return { type: "key-learned", at: noon, address: addressOf(name), prefix, ...(team === undefined ? {} : { team }) };
}

export function keyRead(prefix: string, ...roles: readonly string[]): EventOf<"key-read"> {
  return { type: "key-read", at: noon, prefix, roles: roleSet(roles) };
}

export function shownExact(action: string, prefix: string, ...roles: readonly string[]): EventOf<"unneeded"> {
  return { type: "unneeded", at: noon, action, why: "exact", shown: { prefix, roles: roleSet(roles) } };
}

/** The outcome of a replacement, with the roles that its answer has shown. */
export function rolesSet(prefix: string, ...roles: readonly string[]): LearnedOutcome {
  return { kind: "replace-roles", prefix, ...(roles.length === 0 ? {} : { roles: roleSet(roles) }) };
}
