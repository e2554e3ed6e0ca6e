import type { Caller } from "./authorization.ts";
import type { RequestCounts, RouteName } from "./fault-triggers.ts";
import type { Identifiers, RandomSource } from "./identifiers.ts";
import type { Knobs } from "./knobs/registry.ts";
import type { ServedAnswer } from "./responses/reply.ts";
import type { Key, Team, User, World } from "./world.ts";

/** Hears of a request before it is served: which one to its route it is, from 1, since the knobs were set. */
export type OnRequest = (route: RouteName, number: number) => void;

/** What the server holds between requests. */
export interface ServerContext {
  readonly world: World;
  readonly outbox: Outbox;
  readonly log: RequestLog;
  /** The user with every right: where a route needs no key, its caller counts as this user. */
  readonly administrator: Key;
  knobs: Knobs;
  /** Since the knobs were set. */
  readonly counts: RequestCounts;
  /** What the last write to each route was answered, among those that were done. */
  readonly lastDone: Map<RouteName, ServedAnswer>;
  readonly random: RandomSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where it listens, without a trailing slash. */
  readonly endpoint: string;
  readonly onRequest: OnRequest;
  /** Settles when everything that has changed so far is kept, or cannot be; undefined where nothing is to be kept. */
  readonly saved: () => Promise<void> | undefined;
}

/** A request that has come in whole. */
export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** ISO 8601. */
  readonly at: string;
  /** The same in milliseconds since the epoch. */
  readonly now: number;
  /** The address by which the caller reached the server, without a trailing slash. */
  readonly origin: string;
  readonly body: ReceivedBody;
}

/** One request that may be served: routed, authenticated, its body read. */
export interface RequestContext {
  readonly world: World;
  readonly outbox: Outbox;
  readonly knobs: Knobs;
  readonly caller: Caller;
  /** What the path names, decoded; empty where the route names nothing. */
  readonly pathParameter: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The address by which the caller reached the server, without a trailing slash. */
  readonly origin: string;
  /** Another address that leads to this server too. */
  readonly otherOrigin: string;
  readonly random: RandomSource;
  /** ISO 8601. */
  readonly at: string;
  /** The same in milliseconds since the epoch. */
  readonly now: number;
}

/** The bytes of a body, and how many came; a body over the cap is read to its end and not kept. */
export interface ReceivedBody {
  readonly size: number;
  /** Absent where the body is over the cap. */
  readonly bytes?: Uint8Array;
}

/** One invitation mail that the service has sent. */
export interface InvitationMail {
  /** The team's identifier. */
  readonly team: string;
  readonly teamName: string;
  /** The identifier of the user who is invited. */
  readonly user: string;
  /** To whom, as the user's address stood then. */
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
  /** The access to the team. */
  readonly link: string;
}

/** Keeps every mail, oldest first. */
export class Outbox {
  readonly mails: InvitationMail[];
  readonly #identifiers: Pick<Identifiers, "secret">;

  /** Goes on with the mails that were sent before. */
  constructor(identifiers: Pick<Identifiers, "secret">, before: readonly InvitationMail[] = []) {
    this.#identifiers = identifiers;
    this.mails = [...before];
  }

  sendInvitation(invitation: { team: Team; user: User; at: string; endpoint: string }): void {
    const { team, user, at, endpoint } = invitation;
    const link = `${endpoint}/invitations/${this.#identifiers.secret()}`;
    this.mails.push({
      team: team.identifier,
      teamName: team.name,
      user: user.identifier,
      address: user.email,
      at,
      link,
    });
  }
}

/** One request to a route of the service, as it was answered. Never holds a key. */
export interface LoggedRequest {
  /** ISO 8601, when it came. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  /** 0 where the connection was ended before anything was done. */
  readonly status: number;
  /** Size of the request's body. */
  readonly bytes: number;
  /** By which name the caller reached the server, with the port. */
  readonly host: string;
  /** Whether there was an Authorization header. */
  readonly sentKey: boolean;
}

/** What a log keeps at the most: so many requests, and so many bytes of them as JSON. */
interface LogBounds {
  readonly requests: number;
  readonly bytes: number;
}

/** The last requests, oldest first. At a bound it drops the oldest ones, a tenth of what may be kept at once. */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #bounds: LogBounds;
  readonly #sizes: number[] = [];
  #bytes = 0;

  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  add(entry: LoggedRequest): void {
    const size = Buffer.byteLength(JSON.stringify(entry));
    this.entries.push(entry);
    this.#sizes.push(size);
    this.#bytes += size;
    if (this.entries.length > this.#bounds.requests || this.#bytes > this.#bounds.bytes) this.#drop();
  }

  /** Dropping a tenth at a time keeps the cost of each entry constant. */
  #drop(): void {
    const { requests, bytes } = this.#bounds;
    let dropped = 0;
    while (this.entries.length - dropped > requests * 0.9 || this.#bytes > bytes * 0.9) {
      this.#bytes -= this.#sizes[dropped] ?? 0;
      dropped += 1;
    }
    this.entries.splice(0, dropped);
    this.#sizes.splice(0, dropped);
  }
}
