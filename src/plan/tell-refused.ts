import type { RecordedRefusal } from "../model/refusal.ts";
import { recordedBasis } from "./subjects.ts";

/** What was refused, when, in which words, and by which request. */
export function formatRefusal(doing: string, { at, failure }: RecordedRefusal): string {
  const { message, serviceSays, request, hint } = failure;
  const asked = request === undefined ? "" : `, as ${request},`;
  const words = serviceSays === undefined ? message : `${message}: ${serviceSays}`;
  const next = hint === undefined ? "" : ` ${asSentence(hint)}`;
  return `The service refused to ${doing} at ${at}${asked} in these words: ${withFullStop(words)}${next}`;
}

/** Both ways out; the first is a change of the roster. */
export function formatRefusalRemedies(correct: string): string {
  return (
    "The same is not sent again by itself while neither the roster nor what is shown changes: " +
    `${correct}, or have the service put in order and say --retry-refused for one run.`
  );
}

export function refusalBasis(about: string, { at }: RecordedRefusal): ReturnType<typeof recordedBasis> {
  return recordedBasis(about, "refused", at);
}

function asSentence(text: string): string {
  return withFullStop(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function withFullStop(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
