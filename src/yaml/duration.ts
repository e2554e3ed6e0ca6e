import { problem, type Result, success } from "../model/result.ts";
import * as d from "./decode.ts";

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
] as const;

/** No timer of this platform waits longer than a little more. */
const longest = 24 * 86_400_000;

/** Milliseconds of a duration such as `90s`, `20m`, `1h30m`, `2d`, or `0`. The error is one sentence without a trailing stop. */
export function readDuration(written: string): Result<number, string> {
  if (written === "0") return success(0);
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/u.exec(written)?.slice(1);
  if (parts === undefined || written === "") return problem(faultOf(written));
  const milliseconds = units.reduce((sum, [, length], index) => sum + Number(parts[index] ?? 0) * length, 0);
  return milliseconds <= longest ? success(milliseconds) : problem("a duration is at most 24d");
}

function faultOf(written: string): string {
  if (/^\d+$/u.test(written)) return `a duration has a unit, such as ${written}s or ${written}m`;
  if (/^-/u.test(written)) return "a duration cannot be negative";
  if (/^\d+[.,]\d+[dhms]$/u.test(written))
    return "a duration is made of whole numbers: write 1h30m for one and a half hours";
  return "a duration has whole numbers with d, h, m and s, in this order, such as 90s, 1h30m or 2d";
}

/** A duration as people write it, rounded to seconds: `1h30m`, `45s`, `0s`. */
export function showDuration(milliseconds: number): string {
  let rest = Math.round(milliseconds / 1000) * 1000;
  const parts = units.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count === 0 ? "" : `${count}${unit}`;
  });
  return parts.join("") || "0s";
}

const durationSchema = d.whenSchema(
  { type: "number" },
  { const: 0 },
  { type: "string", pattern: "^(0|(?=[0-9])([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?)$" },
);

/** Milliseconds. */
export const duration = d.decoder<number>(durationSchema, (cursor) => {
  const { node } = cursor;
  const read = readDuration(node.kind === "scalar" ? node.text : "");
  if (read.ok) return read.value;
  return cursor.fault(`${cursor.name} is not understood: ${read.error}.`, "Write it like 90s or 20m.");
});
