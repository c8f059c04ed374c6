"""The product's settings, with an app that adds the column before the product's models are read."""

from hubconsole.settings import *  # noqa: F403
from hubconsole.settings.web import INSTALLED_APPS as PRODUCT_APPS

INSTALLED_APPS = ["tests.invented_field", *PRODUCT_APPS]
