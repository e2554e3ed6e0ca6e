import type { ApplyResult, RosterError } from "../../src/library/error.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { Result } from "../../src/model/result.ts";
import type { State } from "../../src/model/state.ts";
import { differenceFrom } from "../support/auditor/calls.ts";
import type { Company } from "./company.ts";
import { stateOn } from "./doors.ts";
import type { SimulatedPlace } from "./machine.ts";
import { type Service, type WireRequest, writeOf } from "./service.ts";

/** What came of an apply that was neither killed nor stopped. */
export type Came = Result<ApplyResult, RosterError>;

type Findings = readonly { readonly code: string; readonly message: string }[];

/** What was seen of a company, and what of it should not have been. */
export interface Ledger {
  readonly breaches: readonly string[];
  readonly told: readonly string[];
  note(line: string): void;
  breach(what: string): void;
  /** A call leaves: what would be left if the power were lost now must announce it. `looked`: whether it is looked at at all. */
  leaves(request: WireRequest, looked: boolean): void;
  /** A run told an event, or all of it: what answers gave it must never be missing again. */
  learned(event: RunEvent | "everything", given: ReadonlySet<string>): void;
  /** What whoever comes next finds. */
  look(): Promise<State | undefined>;
  ended(came: Came, how: "alone" | "disturbed"): void;
  /** Nothing more is to be done: so everything must be as the roster says, but for whom an administrator has deleted. */
  reached(came: Came, company: Company, deleted: string | undefined): void;
  /** Waits for every look, and takes what the service has found. */
  settle(): Promise<void>;
}

export function newLedger(service: Service, place: SimulatedPlace, tell: (line: string) => void): Ledger {
  const breaches: string[] = [];
  const told: string[] = [];
  const looks: Promise<void>[] = [];
  const prefixes = new Set<string>();
  const people = new Set<string>();

  function note(line: string): void {
    told.push(line);
    tell(line);
  }

  function breach(what: string): void {
    breaches.push(what);
    note(`BREACH ${what}`);
  }

  function waiting(findings: Findings, company: Company, deleted: string | undefined) {
    const says = (wanted: string, ...names: readonly string[]) =>
      findings.some(({ code, message }) => code === wanted && names.every((name) => message.includes(name)));
    /** Somebody who is deleted, and who is to come with a team whose admin is. */
    const isExcused = (email: string) =>
      deleted !== undefined && (email === deleted || says("cannot-create-team", email, deleted));
    /** A team whose only member is deleted, or without whom everybody was created who could have come with it. */
    const isLeft = (team: string) =>
      (deleted !== undefined && says("team-identifier-unknown", team)) ||
      (says("cannot-create-team", team) &&
        company.people().every((email) => service.rolesOf(email, team) === undefined));
    return { isExcused, isLeft };
  }

  return {
    breaches,
    told,
    note,
    breach,
    leaves(request, looked) {
      note(`  -> ${request.method} ${request.path} ${request.body ?? ""}`);
      const call = looked ? writeOf(request) : undefined;
      if (call === undefined) return;
      const image = place.durableImage();
      const check = async () => {
        const state = await stateOn(image, place);
        if (typeof state === "string") breach(`what is durable at a call cannot be read: ${state}`);
        else if (state.open.every(({ intent }) => differenceFrom(intent, call, service.known) !== undefined))
          breach(`${request.method} ${request.path} left before it was announced`);
      };
      looks.push(check());
    },
    learned(event, given) {
      if (event === "everything") {
        for (const prefix of given) prefixes.add(prefix);
        return;
      }
      if (event.type !== "succeeded") return;
      const text = JSON.stringify(event);
      for (const prefix of given) if (text.includes(`"${prefix}"`)) prefixes.add(prefix);
      if (event.learned.kind === "create-user") people.add(event.learned.address);
    },
    async look() {
      const state = await stateOn(place.disk(), place);
      if (typeof state === "string") {
        breach(`the state cannot be read: ${state}`);
        return undefined;
      }
      const known = namesIn(state);
      for (const name of [...prefixes, ...people]) if (!known.has(name)) breach(`${name} is lost`);
      return state;
    },
    ended(came, how) {
      if (came.ok) {
        const { actions, findings } = came.value.plan;
        note(`== done, ${actions.length} actions left`);
        for (const { code, message } of findings) note(`  ${code}: ${message}`);
        return;
      }
      const { code, message, reason } = came.error;
      note(`== ${code}: ${message}`);
      if (code === "state" && how === "alone") breach(`an apply fails for its state alone: ${message}`);
      if (reason === "invalid") breach(`an apply is invalid: ${message}`);
    },
    reached(came, company, deleted) {
      if (!came.ok) return breach(`nothing more is done, but: ${came.error.message}`);
      const { actions, findings } = came.value.plan;
      const { isExcused, isLeft } = waiting(findings, company, deleted);
      if (actions.length > 0) breach(`nothing more is done, but ${actions.length} actions are left`);
      for (const email of company.people().filter((one) => !isExcused(one))) {
        const accounts = service.users.filter((user) => foldAddress(user.email) === email).length;
        if (accounts !== 1) breach(`${email} has ${accounts} accounts`);
      }
      for (const { team, email, roles } of company.members()) {
        const are = service.rolesOf(email, team)?.toSorted().join() ?? "no key";
        const isRight = are === roles.toSorted().join() || isExcused(email) || isLeft(team);
        if (!isRight) breach(`${email} has ${are} in ${team}`);
      }
    },
    async settle() {
      await Promise.all(looks.splice(0));
      for (const what of service.breaches.splice(0)) breach(what);
    },
  };
}

function namesIn({ users, memberships, keys, seenKeys }: State): ReadonlySet<string | undefined> {
  return new Set([
    ...users.keys(),
    ...[...users.values()].map(({ key }) => key),
    ...[...memberships.values()].map(({ prefix }) => prefix),
    ...keys.keys(),
    ...(seenKeys?.keys() ?? []),
  ]);
}
