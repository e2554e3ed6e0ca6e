import type { Knobs } from "../knobs.ts";
import { badParameter } from "../query-parameter.ts";
import { type Refusal, refuse } from "../reply.ts";

/** Undefined where the name does no harm. */
export function refuseSortField(how: Knobs["sortUnknown"], name: string, known: Iterable<string>): Refusal | undefined {
  switch (how) {
    case "400":
      return badParameter("sort-by", name, `must name fields of this list (${[...known].join(", ")})`);
    case "500":
      return refuse(500, `No property '${name}' found for type`);
    case "ignore":
      return undefined;
  }
}
