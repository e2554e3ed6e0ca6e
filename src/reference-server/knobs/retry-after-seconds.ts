import { count } from "./knob.ts";

export const retryAfterSeconds = count("The seconds of `retryAfter`, and of the Retry-After of an answer with 202.", 1);
