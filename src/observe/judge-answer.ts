import type { FoldedAddress } from "../model/address.ts";
import type { ReadName } from "../model/fact.ts";
import type { Absence, ObservedUser } from "../model/snapshot.ts";
import type { Asked } from "./asked-addresses.ts";
import type { SearchBatch } from "./search-batches.ts";

/** What one answer to a search says. */
export interface JudgedAnswer {
  /** Those who were asked for, and the control; whoever else came is not kept. */
  readonly users: readonly ObservedUser[];
  readonly missing: readonly Asked[];
  /** What becomes of the missing. */
  readonly verdict:
    | { readonly is: "nobody-missing" }
    | { readonly is: "settled"; readonly absence: Absence }
    /** Some came: the answer may have been cut off before the others. */
    | { readonly is: "ask-again" }
    | { readonly is: "control-missing"; readonly control: FoldedAddress; readonly absence: Absence };
}

export function judgeAnswer(batch: SearchBatch, answer: readonly ObservedUser[], read: ReadName): JudgedAnswer {
  const { asked, control } = batch;
  const wanted = new Set(asked.map(({ address }) => address));
  const users = answer.filter(({ address }) => wanted.has(address) || address === control?.address);
  const found = new Set(users.map(({ address }) => address));
  const missing = asked.filter(({ address }) => !found.has(address));
  const isWithControl = control !== undefined && found.has(control.address);
  const others = found.size - (isWithControl ? 1 : 0);
  return { users, missing, verdict: verdictOn({ missing, control, others, isWithControl, read }) };
}

function verdictOn(seen: {
  readonly missing: readonly Asked[];
  readonly control: Asked | undefined;
  readonly others: number;
  readonly isWithControl: boolean;
  readonly read: ReadName;
}): JudgedAnswer["verdict"] {
  const { missing, control, others, isWithControl, read } = seen;
  if (missing.length === 0) return { is: "nobody-missing" };
  if (others > 0) return { is: "ask-again" };
  if (isWithControl) return { is: "settled", absence: { proven: true, by: read } };
  if (control === undefined) {
    const why = `nobody is known to be there, so that finding nobody by ${read} proves nothing`;
    return { is: "settled", absence: { proven: false, why } };
  }
  const why = `${read} did not find ${control.sent} either, who is known to be there`;
  return { is: "control-missing", control: control.address, absence: { proven: false, why } };
}
