import * as t from "./declare.ts";
import { place } from "./fact.ts";
import { address, name, text, time } from "./values.ts";

export interface Problem extends Omit<Failure, "code"> {
  readonly code: string;
  /** Where guards refuse a plan: the codes for `--allow`. */
  readonly allow?: readonly string[] | undefined;
}

export type Diagnostic = t.Static<typeof diagnostic>;
export const diagnostic = t.object("Something wrong with a roster file, the settings or the command line.", {
  code: t.string("Stable name of the fault, such as `unknown-key`."),
  severity: t.described(t.oneOf("error", "warning"), "Errors end the command; warnings do not."),
  message: t.string("What is wrong and why."),
  hint: t.optional(t.string("What to do next.")),
  place: t.optional(place),
  excerpt: t.optional(
    t.object("The source line at the place.", { line: text, length: t.count("How many columns the fault covers.") }),
  ),
});

export type FailureCode =
  /** 401: the service does not accept the key. Nothing after it can succeed. */
  | "unauthorized"
  | "forbidden"
  | "not-found"
  /** 409, or another answer that says the thing is already there. */
  | "conflict"
  /** Any other 4xx: the service understood the request and will refuse it again. */
  | "refused"
  /** 5xx, or an answer that asks to come back later: 408, 425, 429. */
  | "service-error"
  /** No answer could be had: resolution, connection, TLS, reset, time-out. */
  | "unreachable"
  /** An answer came, and it is not of a known shape. Never an empty list. */
  | "misunderstood"
  /** The reads do not prove what a call rests on, so that it was not sent. */
  | "stale"
  | "redirected"
  | "aborted"
  | "state"
  | "locked";

/** An expected problem with a call: what, where, why and what to do next. */
export type Failure = t.Static<typeof failure>;
export const failure = t.object("What stood in the way of a call.", {
  code: t.typed<FailureCode>(t.described(name, "Stable name of the problem.")),
  message: t.string("What is wrong and why: one sentence without a stop. It never contains a key."),
  request: t.optional(t.string("Such as `POST /api/accounting/users/search`, or the file of a state store.")),
  status: t.optional(t.integer("The HTTP status, if there was an answer.")),
  /** Not yet made safe for an output. */
  serviceSays: t.optional(t.string("The service's own words, bounded.")),
  hint: t.optional(t.string("What to do next.")),
});

/** As long as the roster asks for the same of the same, its answer will not change. */
export const request = t.described(
  name,
  "A digest of the request and of what was seen of its users, team or key. Absent if the same plan creates one of them.",
);

export type RecordedRefusal = t.Static<typeof refusal>;
export const refusal = t.object("A request that the service refused, and the digest by which it is known again.", {
  request,
  subject: t.described(name, "What it is about, such as `user ada@acme.example`."),
  address: t.optional(address, "The user that it is about. Absent of a key whose owner is not known."),
  asked: t.described(name, "What was requested, such as `create ada@acme.example`."),
  at: time,
  failure,
  plan: t.optional(name, "The id of the plan in whose run it was refused. Absent where it is not known."),
});
