// What is wrong with a page, in words. Contrast as in WCAG 2.1; targets have at least 44 pixels a
// side, but for links in a text. What is folded away is looked at as well, unfolded.
() => {
  const check = () => {
    const found = [];
    const shown = (e) => {
      const box = e.getBoundingClientRect(), style = getComputedStyle(e);
      return box.width > 0 && box.height > 0 && style.visibility !== 'hidden' && e.checkVisibility();
    };
    const wide = document.documentElement;
    if (wide.scrollWidth > wide.clientWidth) found.push(`${wide.scrollWidth} > ${wide.clientWidth} wide`);
    const nameOf = (e) => (e.getAttribute('aria-label') || e.textContent
      || [...(e.labels || [])].map((l) => l.textContent).join(' ')).trim();
    for (const e of document.querySelectorAll('button, a, input, summary, select')) {
      const label = e.closest('label');
      const target = e.matches('input[type=radio], input[type=checkbox]') && label ? label : e;
      if (!shown(target)) continue;
      if (!nameOf(e) && !(label && label.textContent.trim())) found.push(`no name: ${e.outerHTML.slice(0, 90)}`);
      const box = target.getBoundingClientRect();
      if (e.tagName !== 'A' && (box.width < 44 || box.height < 44))
        found.push(`small: ${Math.round(box.width)} x ${Math.round(box.height)} ${nameOf(target).slice(0, 40)}`);
    }
    const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
    for (const id of new Set(ids)) if (ids.filter((i) => i === id).length > 1) found.push(`twice: #${id}`);
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgb = (text) => {
      canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = '#000'; canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
      .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim(), e = walker.currentNode.parentElement;
      if (!text || !shown(e) || e.closest('.sr, script, noscript')) continue;
      let ground = null;
      for (let at = e; at && !ground; at = at.parentElement) {
        const colour = rgb(getComputedStyle(at).backgroundColor);
        if (colour[3] === 255) ground = colour;
        else if (getComputedStyle(at).backgroundImage.includes('repeating')) ground = [61, 97, 127, 255];
      }
      ground = ground || [255, 255, 255, 255];
      const style = getComputedStyle(e), ink = rgb(style.color);
      const [high, low] = [light(ink), light(ground)].sort((a, b) => b - a);
      const ratio = (high + 0.05) / (low + 0.05);
      const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
      if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5))
        found.push(`contrast ${ratio.toFixed(1)}: ${text.slice(0, 40)}`);
    }
    if (document.querySelectorAll('h1').length !== 1) found.push('not one h1');
    if (!document.documentElement.lang) found.push('no language');
    return found;
  };
  const asItIs = check();
  const folds = [...document.querySelectorAll('details:not([open])')];
  for (const fold of folds) fold.open = true;
  const unfolded = check();
  for (const fold of folds) fold.open = false;
  return [...new Set([...asItIs, ...unfolded])];
}
