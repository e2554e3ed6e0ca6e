import type { Caller } from "./caller.ts";
import type { LearnedPaging } from "./learned-paging.ts";
import type { Routes } from "./routes.ts";
import type { Reshape } from "./shapes/reshape.ts";
import type { UnreadFields } from "./unread-fields.ts";

/** What the calls of one service share. */
export interface ServiceParts {
  readonly caller: Caller;
  readonly routes: Routes;
  readonly reshape: Reshape;
  readonly learned: LearnedPaging;
  readonly unread: UnreadFields;
}
