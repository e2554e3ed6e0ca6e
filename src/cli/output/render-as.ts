import { type FormatName, formats } from "../../report/formats.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../../report/outcome.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../package-directory.ts";
import { pathsInCheckout } from "./paths-in-checkout.ts";

/** Results by format, of a command that has words of its own. */
export type CustomOutput = Readonly<Partial<Record<FormatName, string>>>;

/** What a command has to tell. */
export interface RenderInput {
  readonly outcome: CommandOutcome;
  readonly ownWords?: CustomOutput | undefined;
}

/** How it is to be told. */
interface RenderTarget extends Pick<RenderOptions, "paint" | "columns" | "told"> {
  readonly host: Host;
}

/** What is told, in a format. */
export async function renderAs(
  format: FormatName,
  { outcome, ownWords = {} }: RenderInput,
  { host, ...wish }: RenderTarget,
): Promise<Rendered> {
  const render = await formats[format].load();
  const rendered = render(outcome, {
    ...wish,
    at: host.clock.now(),
    version: installedPackage().version,
    pathOf: await pathsInCheckout(host),
  });
  const own = ownWords[format];
  return own === undefined ? rendered : { ...rendered, stdout: own };
}
