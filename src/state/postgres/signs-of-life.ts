/** Gives signs of life until the answer is called, or one is of no use any more. They do not keep the process alive. */
export function signsOfLife(every: number, give: () => Promise<"alive" | "lost">): () => void {
  let underWay = false;
  const timer = setInterval(async () => {
    if (underWay) return;
    underWay = true;
    if ((await give()) === "lost") clearInterval(timer);
    underWay = false;
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}
