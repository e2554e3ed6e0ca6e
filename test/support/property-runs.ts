/** How often a property is tried: a third of the whole in `npm test`, all of it in `npm run test:deep`. */
export function runs(whole: number): number {
  return process.env["PROPERTY_RUNS"] === "whole" ? whole : Math.ceil(whole / 3);
}
