import type { RecordedRefusal } from "../model/refusal.ts";
import { remembered } from "./subjects.ts";

/** What was refused, when, in which words, and by which request. */
export function refusedBefore(doing: string, { at, failure }: RecordedRefusal): string {
  const { message, serviceSays, request, hint } = failure;
  const asked = request === undefined ? "" : `, as ${request},`;
  const words = serviceSays === undefined ? message : `${message}: ${serviceSays}`;
  const next = hint === undefined ? "" : ` ${sentence(hint)}`;
  return `The service refused to ${doing} at ${at}${asked} in these words: ${stopped(words)}${next}`;
}

/** Both ways out; the first is a change of the roster. */
export function waysOut(correct: string): string {
  return (
    "The same is not sent again by itself while neither the roster nor what is shown changes: " +
    `${correct}, or have the service put in order and say --retry-refused for one run.`
  );
}

export function refusalBasis(about: string, { at }: RecordedRefusal): ReturnType<typeof remembered> {
  return remembered(about, "refused", at);
}

function sentence(text: string): string {
  return stopped(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}

function stopped(text: string): string {
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
