import { faultKnobs } from "./faults.ts";
import type { Knob, KnobValueOf } from "./knob.ts";
import { listKnobs } from "./lists.ts";
import { responseKnobs } from "./responses.ts";
import { ruleKnobs } from "./rules.ts";

/** Every knob by its name. A new knob is one row of its table. */
const registry = { ...listKnobs, ...responseKnobs, ...ruleKnobs, ...faultKnobs };

export type KnobName = keyof typeof registry;

/**
 * What the service's documentation leaves open, as choices of whoever starts the server. The defaults are one plain dialect;
 * each knob's row says what its values do.
 */
export type Knobs = { readonly [Name in KnobName]: KnobValueOf<(typeof registry)[Name]> };

export const knobRegistry: ReadonlyMap<string, Knob> = new Map<string, Knob>(Object.entries(registry));

export const defaultKnobs: Knobs = Object.fromEntries(
  Object.entries(registry).map(([name, knob]) => [name, knob.otherwise]),
) as Knobs;
