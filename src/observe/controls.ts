import type { FoldedAddress } from "../model/address.ts";
import type { AddressQuery } from "./asked-addresses.ts";

/**
 * People known to be there, the best known first. A search that does not find its control person proves nothing
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
