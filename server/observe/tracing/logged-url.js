'use strict';

/** Search texts are private: logs and traces have the length of q. Its name may be encoded. */
const TEXT = /([?&](?:q|%71)=)([^&#]*)/gi;

/** @param {string} url of a request */
const loggedUrl = (url) => url.replace(TEXT, (_, name, text) => `${name}<${text.length}>`);

exports.loggedUrl = loggedUrl;
