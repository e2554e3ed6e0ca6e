import { domainToASCII } from "node:url";
import type { LogEvent } from "../../../src/model/event.ts";

/** What the service was and did, at each place of the logs. Both ends of a span belong to it. */
export interface ServiceLog {
  readonly requests: ReadonlyMap<number, LoggedRequest>;
  users(span: Span): readonly UserThere[];
  teams(span: Span): readonly TeamThere[];
  /** In each form that they had at some time. */
  keys(span: Span): readonly KeyThere[];
  mails(span: Span): readonly MailSent[];
  /** Where the contents were as at this time. */
  placeOf(time: number): number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LoggedRequest extends RequestArrived {
  readonly position: number;
  /** All that it did, at once or later. */
  readonly did: readonly LoggedChange[];
  readonly answered?: RequestAnswered;
}

export interface LoggedChange extends ServiceChanged {
  readonly position: number;
  readonly isNew: boolean;
}

export function readServiceLog(records: readonly LogRecord[]): ServiceLog {
  const requests = new Map<
    number,
    { arrived: RequestArrived; position: number; did: LoggedChange[]; answered?: RequestAnswered }
  >();
  const things = new Map<ThingThere["is"], Map<string, { readonly from: number; readonly thing: ThingThere }[]>>();
  const times: { readonly position: number; readonly at: number }[] = [];
  for (const [position, record] of records.entries()) {
    if (record.is === "arrived") requests.set(record.request, { arrived: record, position, did: [] });
    if (record.is === "answered") {
      const request = requests.get(record.request);
      if (request !== undefined) request.answered = record;
    }
    if (record.is !== "changed") continue;
    times.push({ position, at: record.at });
    const name = nameOf(record.now);
    const alike =
      things.get(record.now.is) ?? new Map<string, { readonly from: number; readonly thing: ThingThere }[]>();
    const before = alike.get(name) ?? [];
    if (record.request !== undefined) {
      requests.get(record.request)?.did.push({ ...record, position, isNew: isAbsent(before.at(-1)?.thing) });
    }
    things.set(record.now.is, alike.set(name, [...before, { from: position, thing: record.now }]));
  }

  function there<Is extends ThingThere["is"]>(is: Is, { from, to }: Span): readonly Extract<ThingThere, { is: Is }>[] {
    const found: Extract<ThingThere, { is: Is }>[] = [];
    for (const versions of things.get(is)?.values() ?? []) {
      for (const [index, { from: since, thing }] of versions.entries()) {
        const until = versions[index + 1]?.from ?? Number.POSITIVE_INFINITY;
        if (since <= to && until > from && isThing(thing, is) && !("gone" in thing)) found.push(thing);
      }
    }
    return found;
  }

  return {
    requests: new Map(
      [...requests].map(([number, { arrived, ...rest }]) => [number, { ...arrived, ...rest }] as const),
    ),
    users: (span) => there("user", span),
    teams: (span) => there("team", span),
    keys: (span) => there("key", span),
    mails: (span) => there("mail", span),
    placeOf: (time) => times.findLast(({ at }) => at <= time)?.position ?? 0,
  };
}

function isThing<Is extends ThingThere["is"]>(thing: ThingThere, is: Is): thing is Extract<ThingThere, { is: Is }> {
  return thing.is === is;
}

function nameOf(thing: ThingThere): string {
  switch (thing.is) {
    case "user":
    case "team":
      return thing.identifier;
    case "key":
      return thing.prefix;
    case "mail":
      return `${thing.user} ${thing.team}`;
  }
}

/** Addresses are one where only letter case in ASCII or the spelling of the domain differs. */
export function foldEmail(email: string): string {
  const text = email.trim();
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  return `${lowerAscii(text.slice(0, at + 1))}${domainToASCII(domain) || lowerAscii(domain)}`;
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]/gu, (letter) => letter.toLowerCase());
}

export function foldTeamName(name: string): string {
  return name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase().normalize("NFC");
}

export function sameSet(one: readonly string[], another: readonly string[]): boolean {
  return [...new Set(one)].sort().join("\n") === [...new Set(another)].sort().join("\n");
}

function isAbsent(thing: ThingThere | undefined): boolean {
  return thing === undefined || "gone" in thing;
}

/** What the auditor sees: the log of the account service and the log of roster, in one order. Times are milliseconds since the epoch. */
export type LogRecord = CommandBegan | EventDurable | RequestArrived | ServiceChanged | RequestAnswered;

/** A command begins. Until the next one, all events and requests are its own. */
export interface CommandBegan {
  readonly is: "command";
  readonly at: number;
  /** Names the log that the command appends to: a lost log is followed by another one. */
  readonly log: string;
  readonly allowed: readonly string[];
}

/** The event is durable in the log from here on. */
interface EventDurable {
  readonly is: "event";
  readonly event: LogEvent;
}

export interface RequestArrived {
  readonly is: "arrived";
  readonly request: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Something is in the service from here on as it is described. What there was at the start comes first, as the change of nobody. */
export interface ServiceChanged {
  readonly is: "changed";
  /** Whose effect it is; absent where somebody else did it. */
  readonly request?: number;
  readonly at: number;
  readonly now: ThingThere;
}

export interface RequestAnswered {
  readonly is: "answered";
  readonly request: number;
  readonly at: number;
  /** The status, or that no answer reached the client. */
  readonly answer: number | "lost";
  /** The answer showed the service as it was then; absent: as it was when the request arrived. */
  readonly asOf?: number;
}

export type ThingThere = UserThere | TeamThere | KeyThere | MailSent;

export interface UserThere {
  readonly is: "user";
  readonly identifier: string;
  readonly email: string;
  readonly account: string;
  readonly gone?: true;
}

export interface TeamThere {
  readonly is: "team";
  readonly identifier: string;
  readonly name: string;
  readonly account: string;
  readonly gone?: true;
}

/** A user is a member of a team for as long as they hold a key of it. */
export interface KeyThere {
  readonly is: "key";
  readonly prefix: string;
  readonly user: string;
  /** The identifier of the team; absent for a key of no team. */
  readonly team?: string;
  readonly roles: readonly string[];
  readonly gone?: true;
}

interface MailSent {
  readonly is: "mail";
  readonly user: string;
  readonly team: string;
}

/** Something that the logs say and that must not be. */
export interface Breach {
  /** The place of the record that shows it. */
  readonly position: number;
  readonly rule: /** A call arrived that no event before it announced so. */
    | "unexplained-call"
    /** A call was announced or sent again that may have been done. */
    | "sent-again"
    | "created-twice"
    | "team-made-twice"
    | "mailed-twice"
    /** An event says what did not happen. */
    | "untrue-event"
    /** A run ended and said nothing of what became of a call. */
    | "silent-end";
  readonly says: string;
}
