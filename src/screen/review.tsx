import { Box, useInput } from "ink";
import { useEffect, useMemo, useReducer, useState } from "react";
import { formatCount } from "../codes/message.ts";
import { countPlan, type Plan } from "../model/plan.ts";
import { formatCallCount, formatTallies } from "../report/document/names.ts";
import { planSummary } from "../report/document/plan.ts";
import type { Paint } from "../report/document/tree.ts";
import { inked, line, type Piece } from "../report/document/tree.ts";
import { blockLines } from "../report/text/text.ts";
import {
  beginReview,
  bodyRows,
  paneColumns,
  type ReviewState,
  reduceReview,
  selectedIndex,
  selectedRow,
  treeLines,
  treeMargin,
} from "./review-state.ts";
import { countMatchingActions, type ReviewInput, type Severity, type Tree, type TreeRow } from "./review-tree.ts";
import { Lines, openStage, Row, StyledText, type TextRow, useSize, WrappedRow, wrapLine } from "./stage.tsx";
import { discardTypedAhead, keyHelp, keyReader, type Size, type Terminal } from "./terminal.ts";

/** What a review came to; `ended`: it was ended from outside, as by an interrupt. */
export type ReviewResult = "approved" | "declined" | "ended";

export interface ReviewOptions {
  readonly terminal: Terminal;
  readonly paint: Paint;
  readonly signal: AbortSignal;
}

/** Shows a plan on the whole terminal until a person has decided, and gives the terminal back. */
export async function reviewOnScreen(input: ReviewInput, options: ReviewOptions): Promise<ReviewResult> {
  const { terminal, paint, signal } = options;
  await discardTypedAhead(terminal.input);
  return new Promise((resolve, reject) => {
    // A screen is not closed while it is being drawn.
    const onAnswer = (answer: ReviewResult) => void setImmediate(leave, () => resolve(answer));
    const onDefect = (error: unknown) => leave(() => reject(error));
    const options = { area: "whole-terminal", paint, onDefect } as const;
    const stage = openStage(terminal, <Review input={input} onAnswer={onAnswer} />, options);
    const end = () => leave(() => resolve("ended"));
    function leave(settle: () => void): void {
      signal.removeEventListener("abort", end);
      stage.close();
      settle();
    }
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** A plan as a tree, the details of its rows, and the question whether to apply it. @internal */
export function Review(props: { readonly input: ReviewInput; onAnswer(answer: "approved" | "declined"): void }) {
  const { input, onAnswer } = props;
  const size = useSize();
  const [state, dispatch] = useReducer(reduceReview, undefined, () => beginReview(input, size));
  const [readKeys] = useState(keyReader);
  const { answer, tree } = state;
  const { plan } = input;
  const { columns } = size;
  useInput((typed, key) => {
    const { last } = detailScroll(state);
    for (const one of readKeys(typed, key)) dispatch({ is: "key", key: one, lastScroll: last });
  });
  useEffect(() => dispatch({ is: "resized", size }), [size]);
  useEffect(() => {
    if (answer !== undefined) onAnswer(answer);
  }, [answer, onAnswer]);
  // The list of privileged roles comes first.
  const privileged = useMemo(() => {
    const first = tree.slice(0, 1 + (tree[0]?.size ?? 0));
    return first.filter(({ severity }) => severity === "privileged");
  }, [tree]);
  const counts = useMemo(() => countPieces(plan, privileged.length, columns), [plan, privileged, columns]);
  return (
    <Box flexDirection="column" width={size.columns} height={Math.max(1, size.rows - 1)} overflow="hidden">
      <Row pieces={[` Plan for ${plan.service}`]} right="nothing is changed yet " columns={columns} isMarked />
      <Row pieces={counts} columns={columns} />
      <Box height={bodyRows(size)} flexShrink={0} overflow="hidden">
        <Body state={state} privileged={privileged} />
      </Box>
      <Message state={state} />
      <Row pieces={[` ${keyHints(state)}`]} right={`${positionOf(state)} `} columns={size.columns} isMarked />
    </Box>
  );
}

interface StateProps {
  readonly state: ReviewState;
}

/** A plan in numbers. What a reviewer must not miss comes first; a count that has no room is left out whole. */
function countPieces(plan: Plan, privileged: number, columns: number): readonly Piece[] {
  const { createUsers, createTeams, mails, replaceRoles, calls, findings, blockingFindings } = countPlan(plan);
  const all = [
    { ink: "alarm", count: privileged, text: `${privileged} privileged` },
    { ink: "alarm", count: blockingFindings, text: formatCount(blockingFindings, "task") },
    { ink: "strong", count: createUsers, text: formatCount(createUsers, "new user") },
    { ink: "strong", count: createTeams, text: formatCount(createTeams, "new team") },
    { ink: "strong", count: mails, text: formatCount(mails, "mail") },
    { ink: "strong", count: replaceRoles, text: formatCount(replaceRoles, "key") },
    { ink: "strong", count: calls.writes, text: formatCallCount(plan.actions) },
    { ink: "strong", count: findings - blockingFindings, text: formatCount(findings - blockingFindings, "notice") },
  ] as const;
  const counts = all.filter(({ count }) => count > 0);
  const width = (upTo: number) => counts.slice(0, upTo + 1).reduce((sum, { text }) => sum + text.length + 2, -1);
  const fitting = counts.filter((_, index) => width(index) <= columns);
  return fitting.flatMap(({ ink, text }, index) => [index === 0 ? " " : "  ", { ink, text }]);
}

function Body({ state, privileged }: StateProps & { readonly privileged: Tree }) {
  const { page, size } = state;
  if (page.is === "help") return <Help from={page.from} size={size} />;
  if (page.is === "approval") return <Approval state={state} typed={page.typed} privileged={privileged} />;
  const { tree, details } = paneColumns(size);
  const scroll = page.is === "details" ? page.scroll : undefined;
  if (details === undefined) {
    return scroll === undefined ? (
      <TreePane state={state} columns={tree} />
    ) : (
      <Detail state={state} columns={tree} scroll={scroll} />
    );
  }
  return (
    <>
      <TreePane state={state} columns={tree} />
      <Box
        height={bodyRows(size)}
        borderStyle="single"
        borderTop={false}
        borderRight={false}
        borderBottom={false}
        paddingLeft={1}
      >
        <Detail state={state} columns={details} scroll={scroll} />
      </Box>
    </>
  );
}

/** What is about to be done, before it is. The question keeps its place on a low screen: what has no room is cut off above and below it. */
function Approval({ state, typed, privileged }: StateProps & { readonly typed: string; readonly privileged: Tree }) {
  const { size, tree, matches, filter, input } = state;
  const columns = Math.min(size.columns, 100);
  const titles = privileged.slice(0, bodyRows(size)).map(({ title }) => line(1, title));
  const summary = planSummary(input.plan, "Plan:", { privilegedRoles: input.privileged });
  const all = input.plan.actions.length;
  const hidden = matches === undefined ? 0 : all - countMatchingActions(tree, matches);
  const warning = `The filter "${filter.trim()}" hides ${hidden} of ${formatCount(all, "action")}; all ${all} are approved.`;
  const above = [
    line(1, [inked("strong", "The whole plan")]),
    ...summary.map(({ spans }) => line(1, spans)),
    ...(matches === undefined ? [] : [line(1, [inked("alarm", warning)])]),
  ];
  const question = [
    line(1, [inked("alarm", "You cannot take back a sent invitation. Only `yes` approves.")]),
    line(1, [inked("strong", `Apply this plan? ${typed}_`)]),
  ];
  return (
    <Box flexDirection="column" width={columns} height={bodyRows(size)}>
      <Box flexDirection="column" flexShrink={1} justifyContent="flex-end" overflow="hidden">
        <Lines lines={above} columns={columns} />
      </Box>
      <Lines lines={question} columns={columns} />
      <Box flexDirection="column" flexShrink={1000} overflow="hidden" paddingTop={1}>
        <Lines lines={titles} columns={columns} />
      </Box>
    </Box>
  );
}

function Help({ from, size }: { readonly from: number; readonly size: Size }) {
  return (
    <Box flexDirection="column" width={size.columns}>
      {keyHelp.slice(from, from + bodyRows(size)).map(([key, action]) => (
        <Row key={key} pieces={[`  ${key.padEnd(22)}${action}`]} columns={size.columns} />
      ))}
    </Box>
  );
}

function Message({ state }: StateProps) {
  const { page, filter, notice, matches, tree, input, size } = state;
  const { columns } = size;
  const count = useMemo(() => (matches === undefined ? 0 : countMatchingActions(tree, matches)), [tree, matches]);
  if (notice !== undefined) return <Row pieces={[{ ink: "change", text: ` ${notice}` }]} columns={columns} />;
  if (page.is !== "filter" && filter === "") return <Row pieces={[]} columns={columns} />;
  const shown = matches === undefined ? "" : `shows ${count} of ${formatCount(input.plan.actions.length, "action")} `;
  return <Row pieces={[` filter: ${filter}${page.is === "filter" ? "_" : ""}`]} right={shown} columns={columns} />;
}

const hints = {
  approval: ["type yes and press Enter to apply, Esc goes back", "type yes, then Enter; Esc goes back"],
  details: ["↑↓ scroll  n next !  a approve  Esc back  ? keys", "↑↓  n next  a approve  Esc back  ? keys"],
  filter: ["type to filter  ↑↓ move  Enter done  Esc clears it", "type to filter  Enter done"],
} as const;

/** The least obvious keys come first. */
function keyHints({ page, size, filter }: ReviewState): string {
  const { columns } = size;
  if (page.is === "help")
    return page.from + bodyRows(size) < keyHelp.length ? "any key shows more" : "any key goes back";
  if (page.is !== "tree") return hints[page.is][columns < 72 ? 1 : 0];
  if (columns < 72) return "Enter details  a approve  ? keys";
  if (filter !== "") return "Esc clears the filter  Enter details  n next !  a approve  ? keys";
  if (columns < 110) return "f fold  Enter details  / filter  n next !  a approve  q quit  ? keys";
  return "↑↓ move  ←→ fold  f fold all  Enter details  / filter  n next !  a approve  q quit  ? keys";
}

function positionOf(state: ReviewState): string {
  const { visible, cursor, page } = state;
  if (page.is === "tree" || page.is === "filter") return `${Math.min(cursor + 1, visible.length)} of ${visible.length}`;
  const { percent } = detailScroll(state);
  return percent === undefined ? "" : `${percent}%`;
}

interface PaneProps {
  readonly state: ReviewState;
  readonly columns: number;
}

function TreePane({ state, columns }: PaneProps) {
  const { visible, top, size, filter, tree } = state;
  const rows = visible.slice(top, top + bodyRows(size));
  return (
    <Box flexDirection="column" width={columns}>
      {rows.length === 0 && <StyledText pieces={[{ ink: "dim", text: ` No match for: ${filter.trim()}` }]} />}
      {rows.flatMap((index) => {
        const row = tree[index];
        return row === undefined
          ? []
          : [<TreeLine key={index} row={row} index={index} state={state} columns={columns} />];
      })}
    </Box>
  );
}

/** A group that is folded has a mark where one of its rows has one, and counts these. */
function TreeLine({ row, index, state, columns }: PaneProps & { readonly row: TreeRow; readonly index: number }) {
  const { severity, size, parent, place } = row;
  const isFolded = size > 0 && state.folded.has(index);
  const inside = isFolded ? state.tree.slice(index + 1, index + 1 + size) : [];
  const count = (of: Severity) => inside.filter((one) => one.severity === of).length;
  const counts = formatTallies([count("task"), "task"], [count("privileged"), "privileged"]).join(", ");
  const isSelected = index === selectedIndex(state);
  const margin = treeMargin(parent);
  const before: readonly Piece[] = [
    isSelected ? ">" : " ",
    severity !== undefined || counts !== "" ? { ink: "alarm", text: "!" } : " ",
    `${size === 0 ? "" : isFolded ? "▸" : "▾"}`.padEnd(margin - 2),
  ];
  const lines = treeLines(row, columns);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {lines.map(({ indent, pieces }, at) => (
        <Row
          key={JSON.stringify(pieces)}
          pieces={[
            ...(at === 0 ? before : [" ".repeat(margin + indent)]),
            ...pieces,
            ...(counts === "" || at < lines.length - 1 ? [] : [inked("alarm", ` [${counts}]`)]),
          ]}
          right={at === lines.length - 1 ? place : undefined}
          columns={columns}
          isMarked={isSelected && state.page.is !== "details"}
        />
      ))}
    </Box>
  );
}

/** The details of the selected row: from a row on where they are open, else their beginning. */
function Detail({ state, columns, scroll }: PaneProps & { readonly scroll: number | undefined }) {
  const selected = selectedRow(state);
  if (selected === undefined) return null;
  const page = bodyRows(state.size);
  const rows = detailRows(selected, columns);
  const isCut = scroll === undefined && rows.length > page;
  const shown = isCut ? [...rows.slice(0, page - 1), moreDetails] : rows.slice(scroll, (scroll ?? 0) + page);
  return (
    <Box flexDirection="column" width={columns} height={page} overflow="hidden">
      {shown.map((row) => (
        <WrappedRow key={rows.indexOf(row)} row={row} columns={columns} />
      ))}
    </Box>
  );
}

const moreDetails: TextRow = { indent: 2, pieces: [{ ink: "dim", text: "… more: Enter" }], height: 1 };

/** How far the details of the selected row are scrolled, where not all of them have room; and how far they can be. */
function detailScroll(state: ReviewState): { readonly last: number; readonly percent: number | undefined } {
  const selected = selectedRow(state);
  if (state.page.is !== "details" || selected === undefined) return { last: 0, percent: undefined };
  const { details, tree } = paneColumns(state.size);
  const rows = detailRows(selected, details ?? tree);
  const page = bodyRows(state.size);
  let last = rows.length - 1;
  for (let height = rows[last]?.height ?? 0; last > 0; last -= 1) {
    height += rows[last - 1]?.height ?? 0;
    if (height > page) break;
  }
  if (last === 0) return { last, percent: undefined };
  return { last, percent: Math.min(100, Math.round(((state.page.scroll + page) / rows.length) * 100)) };
}

const renderedDetails = new WeakMap<TreeRow, { readonly columns: number; readonly rows: readonly TextRow[] }>();

function detailRows(row: TreeRow, columns: number): readonly TextRow[] {
  const before = renderedDetails.get(row);
  if (before?.columns === columns) return before.rows;
  const lines = row.details().flatMap((block) => blockLines(block, 2, columns));
  const rows = lines.flatMap((line) => wrapLine(line, columns));
  renderedDetails.set(row, { columns, rows });
  return rows;
}
