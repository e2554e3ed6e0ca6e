import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Finding } from "../../model/finding.ts";
import type { Line, Piece } from "../../report/text/lines.ts";

/** One thing of a plan as the review shows it, with what belongs to it. */
export interface TreeNode {
  readonly title: readonly Piece[];
  /** What stands at the right, such as a place in the YAML. */
  readonly beside?: string;
  /** What is told when it is opened. */
  readonly about: NodeContent;
  /** A privileged role is at stake, or it blocks. */
  readonly matters?: true;
  /** Folded until somebody unfolds it: `at-first` for want of room, so that a filter unfolds it. */
  readonly closed?: "always" | "at-first";
  /** What a filter looks at beside the title, such as the kinds of the calls. */
  readonly words: readonly string[];
  readonly children: readonly TreeNode[];
}

/** Calls, in the order in which they run, a finding, or what is told as it is; the calls may be none. */
export type NodeContent =
  /** `person`: whose part of the calls it is about, where it is about one. */
  | { readonly is: "actions"; readonly actions: readonly Action[]; readonly person?: FoldedAddress }
  | { readonly is: "finding"; readonly finding: Finding }
  | { readonly is: "told"; readonly lines: readonly Line[] };
