import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import type { Absence, ObservedUser } from "../model/snapshot.ts";
import type { AddressQuery } from "./asked-addresses.ts";
import type { SearchBatch } from "./search-batches.ts";

/** What one answer to a search says. */
export interface AssessedAnswer {
  readonly batch: SearchBatch;
  /** Those who were asked for, and the control; whoever else came is not kept. */
  readonly users: readonly ObservedUser[];
  readonly missing: readonly AddressQuery[];
  /** Those whom the answer shows under another address, and why they are not absent. */
  readonly elsewhere: ReadonlyMap<FoldedAddress, Absence>;
  /** What becomes of the missing. */
  readonly verdict:
    | { readonly is: "nobody-missing" }
    | { readonly is: "settled"; readonly absence: Absence }
    /** Some came: the answer may have been cut off before the others. */
    | { readonly is: "ask-again" }
    /** So many strangers came that the answer may have been cut off at its end. */
    | { readonly is: "crowded"; readonly ask: "without-control" | "in-halves" }
    | { readonly is: "control-missing"; readonly control: FoldedAddress; readonly absence: Absence };
}

/** Judges one answer. `roomFor`: the most rows that any answer has held so far, and so what surely fits into one. */
export function assessAnswer(
  batch: SearchBatch,
  answer: { readonly users: readonly ObservedUser[]; readonly read: ReadName; readonly roomFor: number },
): AssessedAnswer {
  const { asked, probe: control } = batch;
  const wanted = new Set(asked.map(({ address }) => address));
  const users = answer.users.filter(({ address }) => wanted.has(address) || address === control?.address);
  const found = new Set(users.map(({ address }) => address));
  const elsewhere = knownElsewhere(answer, found, wanted);
  const missing = asked.filter(({ address }) => !found.has(address) && !elsewhere.has(address));
  const isWithControl = control !== undefined && found.has(control.address);
  const others = found.size - (isWithControl ? 1 : 0);
  const isCrowded = answer.users.length > users.length && answer.users.length >= answer.roomFor;
  const verdict = answerVerdict({ batch, missing, others, isWithControl, isCrowded, read: answer.read });
  return { batch, users, missing, elsewhere, verdict };
}

/** An address that is somebody's identifier is not free: the service may know this very person under another address. */
function knownElsewhere(
  { users, read }: { readonly users: readonly ObservedUser[]; readonly read: ReadName },
  found: ReadonlySet<FoldedAddress>,
  wanted: ReadonlySet<FoldedAddress>,
): ReadonlyMap<FoldedAddress, Absence> {
  const elsewhere = new Map<FoldedAddress, Absence>();
  for (const { identifier, externalIdentifier, email } of users) {
    for (const name of [identifier, externalIdentifier]) {
      const address = name?.includes("@") ? foldAddress(name) : undefined;
      if (address === undefined || !wanted.has(address) || found.has(address)) continue;
      elsewhere.set(address, { proven: false, why: `${read} shows ${email}, whose identifier is this address` });
    }
  }
  return elsewhere;
}

interface AnswerFacts {
  readonly batch: SearchBatch;
  readonly missing: readonly AddressQuery[];
  readonly others: number;
  readonly isWithControl: boolean;
  readonly isCrowded: boolean;
  readonly read: ReadName;
}

function answerVerdict(seen: AnswerFacts): AssessedAnswer["verdict"] {
  const { batch, missing, others, isWithControl, isCrowded, read } = seen;
  if (missing.length === 0) return { is: "nobody-missing" };
  if (others > 0) return { is: "ask-again" };
  if (isCrowded && isWithControl) return { is: "crowded", ask: "without-control" };
  const mayBeCut = isCrowded && (batch.probe !== undefined || batch.vouchedFor);
  if (mayBeCut && missing.length > 1) return { is: "crowded", ask: "in-halves" };
  if (isCrowded && batch.vouchedFor)
    return unprovenVerdict(`${read} is full of others, and may have been cut off before`);
  if (isWithControl || batch.vouchedFor) return { is: "settled", absence: { proven: true, by: read } };
  return verdictWithoutProbe(batch, read);
}

function verdictWithoutProbe({ probe: control }: SearchBatch, read: ReadName): AssessedAnswer["verdict"] {
  if (control === undefined) {
    return unprovenVerdict(`nobody is known to be there, so that finding nobody by ${read} proves nothing`);
  }
  const why = `${read} did not find ${control.sent} either, who is known to be there`;
  return { is: "control-missing", control: control.address, absence: { proven: false, why } };
}

function unprovenVerdict(why: string): AssessedAnswer["verdict"] {
  return { is: "settled", absence: { proven: false, why } };
}
