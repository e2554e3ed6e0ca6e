import type { LogEvent } from "../../../src/model/event.ts";

/** What the auditor sees: the log of the account service and the log of roster, in one order. Times are milliseconds since the epoch. */
export type LogRecord = CommandBegan | EventDurable | RequestArrived | ServiceChanged | RequestAnswered;

/** A command begins. Until the next one, all events and requests are its own. */
export interface CommandBegan {
  readonly is: "command";
  readonly at: number;
  /** Names the log that the command appends to: a lost log is followed by another one. */
  readonly log: string;
  /** What a person allowed, as it was given. */
  readonly allowed: readonly string[];
}

/** The event is durable in the log from here on. */
export interface EventDurable {
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
  /** The identifier of the holder. */
  readonly user: string;
  /** The identifier of the team; absent for a key of no team. */
  readonly team?: string;
  readonly roles: readonly string[];
  readonly gone?: true;
}

export interface MailSent {
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
