import { badParameter } from "../query-parameter.ts";
import { type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const sortUnknown = choice("What becomes of a `sort-by` that names no field of the list.", "400", {
  "400": "the request is refused with 400",
  "500": "the request fails with 500",
  ignore: "the name is left out of account",
});

/** Undefined where the name does no harm. */
export function refuseField(
  how: ValueOf<typeof sortUnknown>,
  name: string,
  known: Iterable<string>,
): Refusal | undefined {
  switch (how) {
    case "400":
      return badParameter("sort-by", name, `must name fields of this list (${[...known].join(", ")})`);
    case "500":
      return refuse(500, `No property '${name}' found for type`);
    case "ignore":
      return undefined;
  }
}
