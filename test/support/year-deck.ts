import type { Dice } from "./dice.ts";
import type { YearEvent } from "./year.ts";
import { meddlingEvents } from "./year-meddling.ts";
import { peopleEvents } from "./year-people.ts";
import { slipEvents } from "./year-slips.ts";
import { teamEvents } from "./year-teams.ts";

const events: Readonly<Record<string, YearEvent>> = {
  ...peopleEvents,
  ...teamEvents,
  ...slipEvents,
  ...meddlingEvents,
};

/** How often each event is in the deck; those that are not named here are there once. */
const copies: Readonly<Record<string, number>> = {
  join: 14,
  leave: 9,
  move: 6,
  "move back": 3,
  until: 4,
  "come back": 6,
  "a new address, in the roster first": 3,
  "a new address, in the service first": 3,
  found: 6,
  "other roles": 2,
  "a letter too many in an address": 2,
  "a stranger": 2,
  "somebody adds a member": 2,
  "somebody removes a member": 2,
  "somebody deletes a user": 2,
  "somebody sets roles": 2,
};

export interface Card {
  readonly name: string;
  readonly event: YearEvent;
}

/** Deals the events of the year, of each kind its share. */
export interface Deck {
  deal(): Card | undefined;
  /** It could not happen to anybody: it comes again soon. */
  putBack(card: Card): void;
}

export function deckOf(dice: Dice): Deck {
  const all = Object.entries(events).flatMap(([name, event]) =>
    Array.from({ length: copies[name] ?? 1 }, () => ({ name, event })),
  );
  let deck: Card[] = [];
  return {
    deal() {
      if (deck.length === 0) deck = [...dice.some(all, all.length)];
      return deck.pop();
    },
    putBack(card) {
      deck.splice(Math.max(0, deck.length - 6), 0, card);
    },
  };
}

/** The names of everything that may happen. */
export const eventNames: readonly string[] = Object.keys(events);
