import type { KnobName } from "../../../../src/reference-server/knobs/registry.ts";
import { answersEffects } from "./answers-effects.ts";
import { type EffectsOf, testEffects } from "./effect.ts";
import { lagEffects } from "./lag-effects.ts";
import { listsEffects } from "./lists-effects.ts";
import { rulesEffects } from "./rules-effects.ts";
import { shownEffects } from "./shown-effects.ts";
import { transportEffects } from "./transport-effects.ts";
import { writesEffects } from "./writes-effects.ts";

/** Every value of every knob: one that is missing here does not compile. */
const effects: EffectsOf<KnobName> = {
  ...listsEffects,
  ...shownEffects,
  ...answersEffects,
  ...writesEffects,
  ...rulesEffects,
  ...lagEffects,
  ...transportEffects,
};

testEffects(effects);
