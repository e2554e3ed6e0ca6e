import type { Failure } from "../../model/result.ts";
import type { Problem } from "../outcome.ts";
import { type Line, prose } from "./lines.ts";

const maxServiceMessage = 300;

/** Which request it was, and what the service said to it. */
export function serviceLines(indent: number, problem: Problem | Failure): readonly Line[] {
  const { request, status, serviceSays } = problem;
  const answer = status === undefined ? "" : ` (status ${status})`;
  return [
    ...(request === undefined ? [] : [prose(indent, `request: ${request}${answer}`)]),
    ...(serviceSays === undefined ? [] : [prose(indent, `the service says: "${truncateMessage(serviceSays)}"`)]),
  ];
}

function truncateMessage(text: string): string {
  return text.length <= maxServiceMessage ? text : `${text.slice(0, maxServiceMessage)}…`;
}
