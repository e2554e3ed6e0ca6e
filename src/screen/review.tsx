import { Box, useInput } from "ink";
import { useEffect, useMemo, useReducer, useState } from "react";
import { formatCount } from "../codes/message.ts";
import { countPlan, type Plan } from "../model/plan.ts";
import { formatCallCount } from "../report/document/actions.ts";
import { planSummary } from "../report/document/plan.ts";
import { inked, type Line, line, type Piece } from "../report/document/tree.ts";
import type { Paint } from "../report/outcome.ts";
import { Detail, detailScroll, Tree } from "./panes.tsx";
import { beginReview, bodyRows, lastHelpScroll, paneColumns, type ReviewState, reduceReview } from "./review-state.ts";
import { countMatchingActions, type ReviewInput } from "./review-tree.ts";
import { openStage } from "./stage.tsx";
import { discardTypedAhead, keyHelp, keyReader, type Terminal } from "./terminal.ts";
import { Lines, Row, StyledText, useSize } from "./text.tsx";

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

interface ReviewProps {
  readonly input: ReviewInput;
  readonly onAnswer: (answer: "approved" | "declined") => void;
}

/** A plan as a tree, the details of its rows, and the question whether to apply it. @internal */
export function Review({ input, onAnswer }: ReviewProps) {
  const size = useSize();
  const [state, dispatch] = useReducer(reduceReview, undefined, () => beginReview(input, size));
  const [readKeys] = useState(keyReader);
  const { answer, tree } = state;
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
    const first = tree.slice(0, tree[0]?.end ?? 0);
    return first.flatMap(({ node }, index) => (node.severity === "privileged" ? [index] : []));
  }, [tree]);
  return (
    <Box flexDirection="column" width={size.columns} height={Math.max(1, size.rows - 1)} overflow="hidden">
      <Head state={state} privileged={privileged.length} />
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

/** What is reviewed. What a reviewer must not miss comes first; a count that has no room is left out whole. */
function Head({ state, privileged }: StateProps & { readonly privileged: number }) {
  const { plan } = state.input;
  const { columns } = state.size;
  const counts = useMemo(() => planCounts(plan, privileged), [plan, privileged]);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Row pieces={[` Plan for ${plan.service}`]} right="nothing is changed yet " columns={columns} isMarked />
      <Box flexWrap="wrap" columnGap={2} paddingLeft={1} height={1} overflow="hidden">
        {counts.map((count) => (
          <Box key={count.text} flexShrink={0}>
            <StyledText pieces={[count]} />
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function planCounts(plan: Plan, privileged: number): readonly Exclude<Piece, string>[] {
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
  return all.filter(({ count }) => count > 0);
}

function Body({ state, privileged }: StateProps & { readonly privileged: readonly number[] }) {
  const { page, size } = state;
  if (page.is === "help") return <Help scroll={page.scroll} state={state} />;
  if (page.is === "approval") return <Approval state={state} typed={page.typed} privileged={privileged} />;
  const { tree, details } = paneColumns(size);
  const scroll = page.is === "details" ? page.scroll : undefined;
  if (details === undefined) {
    return scroll === undefined ? (
      <Tree state={state} columns={tree} />
    ) : (
      <Detail state={state} columns={tree} scroll={scroll} />
    );
  }
  return (
    <>
      <Tree state={state} columns={tree} />
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

interface ApprovalProps extends StateProps {
  readonly typed: string;
  readonly privileged: readonly number[];
}

/** What is about to be done, before it is. The question keeps its place on a low screen: what has no room is cut off above and below it. */
function Approval({ state, typed, privileged }: ApprovalProps) {
  const { size, tree } = state;
  const columns = Math.min(size.columns, 100);
  const titles = privileged.slice(0, bodyRows(size)).map((index) => line(1, tree[index]?.node.title ?? []));
  return (
    <Box flexDirection="column" width={columns} height={bodyRows(size)}>
      <Box flexDirection="column" flexShrink={1} justifyContent="flex-end" overflow="hidden">
        <Lines lines={approvalLines(state)} columns={columns} />
      </Box>
      <Lines
        lines={[
          line(1, [inked("alarm", "Invitations cannot be unsent. Only `yes` approves.")]),
          line(1, [inked("strong", `Apply this plan? ${typed}_`)]),
        ]}
        columns={columns}
      />
      <Box flexDirection="column" flexShrink={1000} overflow="hidden" paddingTop={1}>
        <Lines lines={titles} columns={columns} />
      </Box>
    </Box>
  );
}

/** What the whole plan does, whatever a filter hides. */
function approvalLines(state: ReviewState): readonly Line[] {
  const hidden = formatHiddenActions(state);
  const { plan, privileged } = state.input;
  const summary = planSummary(plan, { privileged, selected: undefined, is: "to-do" });
  return [
    line(1, [inked("strong", "The whole plan")]),
    ...summary.map(({ spans }) => line(1, spans)),
    ...(hidden === undefined ? [] : [line(1, [inked("alarm", hidden)])]),
  ];
}

/** What a filter hides is approved as well. */
function formatHiddenActions({ tree, matches, filter, input }: ReviewState): string | undefined {
  if (matches === undefined) return undefined;
  const all = input.plan.actions.length;
  const hidden = all - countMatchingActions(tree, matches);
  return `The filter "${filter.trim()}" hides ${hidden} of ${formatCount(all, "action")}; all ${all} are approved.`;
}

/** Every key of the review; the last row says how many more there are. */
function Help({ state, scroll }: StateProps & { readonly scroll: number }) {
  const { size } = state;
  const page = bodyRows(size);
  const rest = keyHelp.slice(Math.min(scroll, lastHelpScroll(size)));
  const shown = rest.length <= page ? rest : rest.slice(0, page - 1);
  return (
    <Box flexDirection="column" width={size.columns}>
      {shown.map(([key, action]) => (
        <Row key={key} pieces={[`  ${key.padEnd(22)}${action}`]} columns={size.columns} />
      ))}
      {shown.length < rest.length && (
        <Row pieces={[{ ink: "dim", text: `  … ${rest.length - shown.length} more: ↓` }]} columns={size.columns} />
      )}
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

/** The keys of a page, fewer on a narrow screen. */
function keyHints({ page, size, filter }: ReviewState): string {
  const isNarrow = size.columns < 72;
  switch (page.is) {
    case "help":
      return lastHelpScroll(size) === 0 ? "any key goes back" : "↑↓ scroll  any other key goes back";
    case "approval":
      return isNarrow ? "type yes, then Enter; Esc goes back" : "type yes and press Enter to apply, Esc goes back";
    case "details":
      return isNarrow ? "↑↓  n next  a approve  Esc back  ? keys" : "↑↓ scroll  n next !  a approve  Esc back  ? keys";
    case "filter":
      return isNarrow ? "type to filter  Enter done" : "type to filter  ↑↓ move  Enter done  Esc clears it";
    case "tree":
      return treeHints(size.columns, filter);
  }
}

/** The least obvious keys come first. */
function treeHints(columns: number, filter: string): string {
  if (columns < 72) return "Enter details  a approve  ? keys";
  if (filter !== "") return "Esc clears the filter  Enter details  n next !  a approve  ? keys";
  if (columns < 110) return "↑↓ ←→ f fold  Enter details  / filter  n next !  a approve  ? keys";
  return "↑↓ move  ←→ fold  f fold all  Enter details  / filter  n next !  a approve  q quit  ? keys";
}

function positionOf(state: ReviewState): string {
  const { visible, cursor, page } = state;
  if (page.is === "tree" || page.is === "filter") return `${Math.min(cursor + 1, visible.length)} of ${visible.length}`;
  const { percent } = detailScroll(state);
  return percent === undefined ? "" : `${percent}%`;
}
