/**
 * An account service whose ways were drawn at random, as a test plays it: requests in, answers out, under a clock of the
 * test's own. The judge reads its log and its world, never the client's view of them.
 */
export interface DrawnService {
  /** The whole key that requests must carry: `Authorization: ApiKey <key>`. Its holder administers the account. */
  readonly key: string;
  readonly keyPrefix: string;
  /** Takes one request at the clock's present moment. Effects and answers may lag or be lost, as drawn. */
  answer(request: WireRequest): WireOutcome;
  readonly writes: readonly LoggedWrite[];
  /** The truth, whatever reads show of it at this moment. */
  readonly people: readonly WorldPerson[];
  readonly teams: readonly WorldTeam[];
  /** One entry for each invitation that was sent, in order. */
  readonly mails: readonly WorldMail[];
}

/** The same service, whose requests are answered so. */
export function answering(service: DrawnService, answer: DrawnService["answer"]): DrawnService {
  return {
    ...service,
    get people() {
      return service.people;
    },
    get teams() {
      return service.teams;
    },
    get mails() {
      return service.mails;
    },
    answer,
  };
}

export interface WireRequest {
  readonly method: string;
  /** From the origin on, with the query: `/api/accounting/users?page=1`. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `lost`: the connection ends without an answer; only the log tells whether the request took effect. */
export type WireOutcome =
  | {
      readonly is: "answer";
      readonly status: number;
      /** By lower-case name. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly is: "lost" };

export interface LoggedWrite {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** What it did or will do: false where it was refused or throttled before it had any effect. */
  readonly tookEffect: boolean;
  /** The status of the answer; `lost` where none was sent. */
  readonly answered: number | "lost";
}

export interface WorldPerson {
  readonly identifier: string;
  /** As it was written when the person was created. */
  readonly email: string;
  readonly account: string;
  readonly keys: readonly WorldKey[];
}

export interface WorldKey {
  readonly prefix: string;
  readonly kind: "own" | "team" | "project";
  readonly team?: string;
  readonly roles: readonly string[];
}

export interface WorldTeam {
  readonly identifier: string;
  readonly name: string;
  readonly account: string;
  readonly members: readonly string[];
}

export interface WorldMail {
  readonly at: number;
  readonly email: string;
  readonly team: string;
}

/** What is there before the first request. The key in use belongs to `root@acme.example`, who is in no team. */
export interface DrawnSeed {
  readonly account: string;
  readonly people: readonly {
    readonly email: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly ownRoles: readonly string[];
    /** Nothing may touch them or their key. */
    readonly isProtected?: boolean;
    /** Whether the roster names them, so that every plan reads them; true where it is absent. */
    readonly isNamed?: boolean;
  }[];
  readonly teams: readonly {
    readonly name: string;
    readonly admin: string;
    /** Addresses of people above, each with the roles of their key in the team. */
    readonly members: readonly { readonly email: string; readonly roles: readonly string[] }[];
  }[];
}
