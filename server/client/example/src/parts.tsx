import type { Card } from 'product-catalog-client';
import type { InputEventHandler } from 'preact';
import type { Money } from './catalog';

export const Picture = ({ src }: { src?: string | null }) =>
  <div class="picture">{src && <img src={src} alt="" loading="lazy" />}</div>;

export const Price = ({ now, before, money }: { now: string; before: string; money: Money }) => (
  <span class={now === before ? 'price' : 'price sale'}>
    {money(now)} {now !== before && <s aria-label={`before ${money(before)}`}>{money(before)}</s>}
  </span>
);

export const Tiles = ({ cards, money }: { cards: Card[]; money: Money }) => (
  <ul class="tiles">
    {cards.map(({ id, name, offer }) => (
      <li key={id}>
        <a href={`/p/${id}`}><Picture src={offer.thumbnail_url} /> <span dir="auto">{name}</span></a>
        {offer.price !== offer.max_price && 'from '}
        <Price now={offer.price} before={offer.original_price} money={money} />
        {!offer.in_stock && <small>Sold out</small>}
      </li>
    ))}
  </ul>
);

type Input = { type: 'checkbox' | 'radio'; name: string; form?: string; onInput?: InputEventHandler<HTMLInputElement> };
type Option = { value: string; label?: string | undefined; count?: number; checked: boolean; disabled?: boolean };

/** Boxes to tick, or radio buttons: arrow keys move between them, and the browser wants one. */
export const Options = ({ legend, options, ...input }: Input & { legend: string; options: Option[] }) => (
  <fieldset class={input.type}>
    <legend>{legend}</legend>
    {options.map(({ value, label = value, count, checked, disabled }) => (
      <label key={value}>
        <input {...input} value={value} checked={checked} disabled={disabled} required={input.type === 'radio'} />
        <span dir="auto">{label}</span> <small>{count}</small>
      </label>
    ))}
  </fieldset>
);
