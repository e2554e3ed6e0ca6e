import { type FormatName, formats } from "../report/formats.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../report/outcome.ts";

/** Results by format, of a command that has words of its own. */
export type OwnWords = Readonly<Partial<Record<FormatName, string>>>;

/** What a command has to tell. */
export interface Told {
  readonly outcome: CommandOutcome;
  readonly ownWords?: OwnWords | undefined;
}

/** How it is to be told. */
type Wish = Pick<RenderOptions, "paint" | "told">;

/** What is told, in a format. */
export async function renderAs(format: FormatName, { outcome, ownWords = {} }: Told, wish: Wish): Promise<Rendered> {
  const rendered = (await formats[format].load())(outcome, wish);
  const own = ownWords[format];
  return own === undefined ? rendered : { ...rendered, stdout: own };
}
