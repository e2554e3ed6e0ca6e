import { formatCount, truncateList } from "../../codes/message.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../../model/event.ts";
import type { Failure } from "../../model/failure.ts";
import type { ActionId, Plan } from "../../model/plan.ts";
import { actionLabel, isSure, keyName, type PlanNames, planNames, statusAside } from "../document/names.ts";
import { type Line, type Piece, type Span, spanText } from "../document/tree.ts";
import type { TerminalStyle } from "../outcome.ts";
import { displayWidth, safe } from "../safe.ts";

const maxProseWidth = 100;
const lastPlaceColumn = 90;
const placeGap = 2;

/** No wider than it may be, of pieces that are safe. */
export interface Row {
  readonly indent: number;
  readonly pieces: readonly Piece[];
  /** Shown dim at the right, aligned over all rows. */
  readonly place?: string | undefined;
}

export function renderLines(lines: readonly Line[], style: TerminalStyle): string {
  const { paint, columns = Number.POSITIVE_INFINITY } = style;
  const rows = lines.flatMap((line) => rowsOf(line, columns, { prose: maxProseWidth, hanging: 4 }));
  const placed = rows.filter(({ place }) => place !== undefined);
  const column = placed.reduce((most, row) => Math.max(most, rowWidth(row) + placeGap), 0);
  const rendered = rows.map((row) => {
    const { indent, pieces, place } = row;
    if (pieces.length === 0) return "\n";
    const painted = pieces.map((piece) => (typeof piece === "string" ? piece : paint(piece.ink, piece.text)));
    const text = `${" ".repeat(indent)}${painted.join("")}`;
    if (place === undefined) return `${text}\n`;
    const gap = Math.min(column, lastPlaceColumn, columns - displayWidth(place)) - rowWidth(row);
    return `${text}${" ".repeat(Math.max(placeGap, gap))}${paint("dim", place)}\n`;
  });
  return rendered.join("");
}

/** A line on as many rows as it needs: sentences are broken at `prose` columns, a line with a place only where it has no room. */
export function rowsOf(
  { indent, spans, place, fixed }: Line,
  columns: number,
  { prose, hanging }: { readonly prose: number; readonly hanging: number },
): readonly Row[] {
  const pieces = piecesOf(spans);
  if (fixed === true) return [{ indent, pieces }];
  if (place === undefined)
    return breakPieces(pieces, Math.min(prose, columns) - indent).map((part) => ({ indent, pieces: part }));
  const shown = safe(place);
  const whole: Row = { indent, pieces, place: shown === "" ? undefined : shown };
  if (isWithin(whole, columns)) return [whole];
  const further = indent + hanging;
  const parts = rowWidth(whole) <= columns ? [pieces] : breakPieces(pieces, columns - further);
  const rows = parts
    .filter((part) => part.length > 0)
    .map((part, index): Row => ({ indent: index === 0 ? indent : further, pieces: part }));
  const last = rows.at(-1);
  if (whole.place === undefined || last === undefined) return rows;
  const together: Row = { ...last, place: shown };
  if (isWithin(together, columns)) return [...rows.slice(0, -1), together];
  return [...rows, { indent: further, pieces: [{ ink: "dim", text: shown }] }];
}

function isWithin(row: Row, columns: number): boolean {
  return rowWidth(row) + (row.place === undefined ? 0 : placeGap + displayWidth(row.place)) <= columns;
}

function rowWidth({ indent, pieces }: Row): number {
  return indent + piecesWidth(pieces);
}

export function piecesWidth(pieces: readonly Piece[]): number {
  return pieces.reduce((width, piece) => width + displayWidth(pieceText(piece)), 0);
}

/** The one place where a span becomes text. */
export function piecesOf(spans: readonly Span[]): readonly Piece[] {
  return spans.flatMap((span): readonly Piece[] => {
    const text = safe(spanText(span));
    if (text === "") return [];
    const isInked = typeof span === "object" && "ink" in span && span.ink !== undefined;
    return [isInked ? { ink: span.ink, text } : text];
  });
}

/** How a piece is shown: safe already, since what is made safe may be longer. */
export function pieceText(piece: Piece): string {
  return safe(typeof piece === "string" ? piece : piece.text);
}

/** Pieces on lines of at most so many columns, each with its inks; the spaces at which they are broken are on none. */
function breakPieces(pieces: readonly Piece[], width: number): readonly (readonly Piece[])[] {
  const text = pieces.map(pieceText).join("");
  let end = 0;
  return wrap(text, width).map((line) => {
    const start = text.indexOf(line, end);
    end = start + line.length;
    return slicePieces(pieces, start, end);
  });
}

function slicePieces(pieces: readonly Piece[], start: number, end: number): readonly Piece[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const text = pieceText(piece);
    const part = text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    offset += text.length;
    if (part === "") return [];
    return [typeof piece === "string" ? part : { ...piece, text: part }];
  });
}

/** Breaks a text at spaces; a longer word has a line of its own. What stands between backticks is one word: a command is to be copied whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  let columns = 0;
  for (const word of splitWords(text)) {
    const more = displayWidth(word);
    if (line === undefined || columns + 1 + more > width) {
      if (line !== undefined) lines.push(line);
      line = word;
      columns = more;
    } else {
      line += ` ${word}`;
      columns += 1 + more;
    }
  }
  return [...lines, line ?? ""];
}

function splitWords(text: string): readonly string[] {
  const parts = text.split("`");
  if (parts.length % 2 === 0 || parts.length === 1) return text.split(" ");
  const words: string[] = [""];
  parts.forEach((part, index) => {
    const [first = "", ...rest] = index % 2 === 1 ? [`\`${part}\``] : part.split(" ");
    words.push(`${words.pop() ?? ""}${first}`, ...rest);
  });
  return words;
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Safe, without a line feed. */
export function progressLine(event: RunEvent, plan: Plan): string | undefined {
  const line = eventLine(event, planNames(plan));
  return line === undefined ? undefined : safe(line);
}

function eventLine(event: RunEvent, names: PlanNames): string | undefined {
  const label = () => ("action" in event ? actionLabel(event.action, names) : "");
  switch (event.type) {
    case "succeeded":
      return successLine(event.action, event.learned, names);
    case "unneeded": {
      const action = names.action(event.action);
      const isKey = action?.kind === "replace-roles";
      return `not needed: ${isKey ? `${keyName(action, names)} already has these roles` : label()}`;
    }
    case "failed":
      return `failed to ${label()}: ${formatFailure(event.failure)}`;
    case "member-refused":
      return `failed to ${label()} for ${names.email(event.address)}: ${formatFailure(event.failure)}`;
    case "unknown-outcome":
      return `outcome not known yet: ${label()}. ${formatFailure(event.failure)}`;
    case "stale":
      return `stale, not done: ${label()}: ${event.why}`;
    case "resolved":
      return `${label()}: ${formatResolved(event, names)}`;
    case "waiting":
      return `waiting ${Math.ceil(event.milliseconds / 100) / 10} s: ${event.why}`;
    default:
      return undefined;
  }
}

function formatResolved({ as, except = [] }: EventOf<"resolved">, names: PlanNames): string {
  if (!as.done) return as.unproven === true ? "the service does not show if it was done" : "it was not done";
  const doubt = except.length === 0 ? "" : `, still unknown for ${except.map(names.email).join(", ")}`;
  if (as.learned.kind !== "add-members") return `it was done${doubt}`;
  const added = as.learned.members.flatMap(({ address, outcome }) => (outcome.added ? [names.email(address)] : []));
  return `${added.length === 0 ? "no member was added" : `it was done for ${truncateList(added)}`}${doubt}`;
}

function successLine(id: ActionId, learned: LearnedOutcome, names: PlanNames): string {
  const action = names.action(id);
  if (learned.kind === "create-user") {
    const email = names.email(learned.address);
    if (learned.was === "there-before") return `found ${email}: the user existed already`;
    const team = action?.kind === "create-user" ? action.createsTeam : undefined;
    return `created ${email}${team === undefined ? "" : ` and team ${team.name}`}`;
  }
  if (learned.kind === "add-members") {
    const refused = learned.members.flatMap(({ address, outcome }) =>
      outcome.added ? [] : [`${names.email(address)}: ${formatFailure(outcome.failure)}`],
    );
    const added = formatCount(learned.members.length - refused.length, "member");
    const line = `invited ${added} to ${names.teamInFull(learned.team)}`;
    return refused.length === 0 ? line : `${line}; refused ${refused.join("; ")}`;
  }
  const isEmptied = action?.kind === "replace-roles" && action.roles.length === 0;
  const key = action?.kind === "replace-roles" ? keyName(action, names) : learned.prefix;
  const done = action !== undefined && !isSure(action) ? "set the roles of" : "changed the roles of";
  return `${isEmptied ? "removed all roles of" : done} ${key}`;
}

function formatFailure(failure: Failure): string {
  return `${failure.message}${statusAside(failure)}`;
}
