'use strict';

/** @typedef {{ style_id: number, name: string, photos: { thumbnail_url: string, url: string }[], skus: Record<string, { size: string, quantity: number, fields?: Record<string, any> }>, [field: string]: any }} StoredStyle */
/** @typedef {{ results: any[] }} StylesReply as db/documents/styles.sql makes it */

/**
 * Reads styles as their rows have them: one without photos or skus is served with one of nulls. db/replay/content.sql reads the rows
 * themselves, since a replay comes before the replies; tests/server/writer/replay.test.js compares both.
 * @param {StylesReply} reply @returns {StoredStyle[]}
 */
const stylesIn = ({ results }) =>
  results.map(({ photos, skus, ...style }) => ({
    ...style,
    photos: photos.filter((/** @type {{ url: string | null }} */ { url }) => url !== null),
    skus: 'null' in skus ? {} : skus,
  }));

exports.stylesIn = stylesIn;
