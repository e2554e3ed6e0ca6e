import type { FoldedAddress } from "../model/address.ts";
import type { AddressQuery } from "./users-to-read.ts";

/** How many identifiers one search names at the most, its probe included. */
const batchSize = 100;

/** One search: whom it asks for, and the person known to be there whom it must find. The probe is sent last. */
export interface SearchBatch {
  readonly asked: readonly AddressQuery[];
  readonly probe: AddressQuery | undefined;
  /** The same question was answered with its probe before: now it is asked without, to see whether there is room. */
  readonly vouchedFor: boolean;
  readonly identifiers: readonly string[];
}

/**
 * Those who are likely to be there and those who are not are searched apart: then a batch mostly finds all or nobody,
 * and needs no second search to tell who is missing.
 */
export function cutBatches(asked: readonly AddressQuery[], probes: KnownUserProbes): readonly SearchBatch[] {
  const likely = asked.filter(({ address }) => probes.has(address));
  const others = asked.filter(({ address }) => !probes.has(address));
  const room = probes.best === undefined ? batchSize : batchSize - 1;
  return [
    ...chunks(likely, batchSize).map((chunk) => batchOf(chunk, probes.bestOf(chunk))),
    ...chunks(others, room).map((chunk) => batchOf(chunk, probes.best)),
  ];
}

/** The same people in two smaller questions. */
export function halves({ asked }: SearchBatch, probes: KnownUserProbes): readonly SearchBatch[] {
  return chunks(asked, Math.ceil(asked.length / 2)).map((half) => batchOf(half, probes.best));
}

export function withoutProbe({ asked }: SearchBatch): SearchBatch {
  return { asked, probe: undefined, vouchedFor: true, identifiers: asked.map(({ sent }) => sent) };
}

function batchOf(asked: readonly AddressQuery[], probe: AddressQuery | undefined): SearchBatch {
  const before = asked.filter(({ address }) => address !== probe?.address).map(({ sent }) => sent);
  const identifiers = probe === undefined ? before : [...before, probe.sent];
  return { asked, probe, vouchedFor: false, identifiers };
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const cut: (readonly T[])[] = [];
  for (let start = 0; start < list.length; start += size) cut.push(list.slice(start, start + size));
  return cut;
}

/**
 * People known to be there, the best known first. A search that does not find its probe person proves nothing
 * about those whom it does not find either.
 */
export class KnownUserProbes {
  readonly #ranked: readonly AddressQuery[];
  readonly #rank: ReadonlyMap<FoldedAddress, number>;

  constructor(people: Iterable<AddressQuery>) {
    const distinct = new Map<FoldedAddress, AddressQuery>();
    for (const person of people) if (!distinct.has(person.address)) distinct.set(person.address, person);
    this.#ranked = [...distinct.values()];
    this.#rank = new Map(this.#ranked.map(({ address }, rank) => [address, rank]));
  }

  get best(): AddressQuery | undefined {
    return this.#ranked[0];
  }

  has(address: FoldedAddress): boolean {
    return this.#rank.has(address);
  }

  /** The best known among those given. */
  bestOf(people: readonly AddressQuery[]): AddressQuery | undefined {
    let best: AddressQuery | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const person of people) {
      const rank = this.#rank.get(person.address) ?? Number.POSITIVE_INFINITY;
      if (rank < lowest) [best, lowest] = [person, rank];
    }
    return best;
  }

  /** These first, then others who are known by now. */
  with(others: readonly AddressQuery[]): KnownUserProbes {
    return new KnownUserProbes([...this.#ranked, ...others]);
  }

  /** Better known people first, then these, without those who turned out to be missing. */
  refined(better: readonly AddressQuery[], missing: ReadonlySet<FoldedAddress>): KnownUserProbes {
    return new KnownUserProbes([...better, ...this.#ranked.filter(({ address }) => !missing.has(address))]);
  }
}
