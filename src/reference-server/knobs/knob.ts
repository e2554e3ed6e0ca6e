import { type FaultTrigger, parseFaultTriggers } from "../fault-triggers.ts";

/** One thing that the service's documentation leaves open, as a choice for the person who starts the server. */
export type Knob = ChoiceKnob<string> | CountKnob | TriggersKnob;

export interface ChoiceKnob<Value extends string> {
  readonly is: "choice";
  /** What is chosen, in one sentence. */
  readonly about: string;
  readonly otherwise: Value;
  /** Each value with what it does. */
  readonly values: Readonly<Record<Value, string>>;
}

export interface CountKnob {
  readonly is: "count";
  readonly about: string;
  readonly otherwise: number;
  /** The smallest number that makes sense. */
  readonly least: number;
}

/** Which requests something befalls. */
export interface TriggersKnob {
  readonly is: "occasions";
  readonly about: string;
  readonly otherwise: readonly FaultTrigger[];
}

/** What a knob can be set to. */
export type KnobValueOf<K> =
  K extends ChoiceKnob<infer Value>
    ? Value
    : K extends CountKnob
      ? number
      : K extends TriggersKnob
        ? readonly FaultTrigger[]
        : never;

export type KnobValue = string | number | readonly FaultTrigger[];

export function choice<Value extends string>(
  about: string,
  otherwise: NoInfer<Value>,
  values: Readonly<Record<Value, string>>,
): ChoiceKnob<Value> {
  return { is: "choice", about, otherwise, values };
}

export function count(about: string, otherwise: number, { least = 0 }: { readonly least?: number } = {}): CountKnob {
  return { is: "count", about, otherwise, least };
}

export function triggers(about: string): TriggersKnob {
  return { is: "occasions", about, otherwise: [] };
}

/** The value that a text stands for; undefined where the knob has no such value. */
export function parseKnobValue(knob: Knob, text: string): KnobValue | undefined {
  switch (knob.is) {
    case "choice":
      return Object.hasOwn(knob.values, text) ? text : undefined;
    case "count":
      return /^\d{1,15}$/u.test(text) && Number(text) >= knob.least ? Number(text) : undefined;
    case "occasions":
      return parseFaultTriggers(text);
  }
}

/** What may be written in the place of a value. */
export function describeAllowedValues(knob: Knob): string {
  switch (knob.is) {
    case "choice":
      return `one of ${Object.keys(knob.values).join(", ")}`;
    case "count":
      return `a whole number, ${knob.least} or more`;
    case "occasions":
      return "never, or requests such as create@1, list@first-2, reads@every-3 or any@all, separated by commas";
  }
}

/** The text that stands for a value. */
export function formatKnobValue(value: KnobValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value.length === 0 ? "never" : value.join(",");
}
