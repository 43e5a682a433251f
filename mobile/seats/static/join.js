// A code out of the address's fragment, which no browser sends by itself, binds this phone or
// screen.
import { $, inputs, on, post, say } from "./page.js";

const code = location.hash.slice(1);
const form = $("#join");
if (code) history.replaceState(null, "", location.pathname);

/** @type {(isAsked?: boolean) => Promise<void>} With `isAsked` it only asks if the code holds. */
async function join(isAsked = false) {
  const [pin] = form ? inputs(form) : [];
  const answer = await post("join", { code, asked: isAsked, pin: pin?.value });
  if (answer.answer === "done") return isAsked ? undefined : location.reload();
  say(answer.told);
  if (form) form.hidden = answer.answer === "refused"; // no other try can help
  if (answer.answer !== "pin") return;
  $("#pin").hidden = false;
  pin.value = "";
  pin.focus();
}

on("submit", "#join", () => join());
on("submit", "#sit", async (field) => {
  const { go, told } = await post("/sit", { short: inputs(field)[0].value });
  if (go) return location.assign(go.replace("#", "?#")); // the code alone would load nothing
  say(told);
  $("#told").scrollIntoView({ block: "nearest" });
});
if (form) form.hidden = !code;
if (code) join(Boolean(form));
else if (form) say($("#told").dataset.none);

// A code that is shown when the network changes leads nowhere: another one takes its place.
const people = $("#people");
let notice = $("#notice")?.textContent;
function renew() {
  if (notice === $("#notice")?.textContent) return;
  notice = $("#notice")?.textContent;
  const { place } = $("#invitation [data-place]")?.dataset ?? {};
  const again = $(`#people [data-invite="${place}"]`);
  if (again) again.click();
  else $("#invitation").replaceChildren();
}
if (people) new MutationObserver(renew).observe(people, { childList: true });
