"""Takes the tables of libraries out of the Django admin. Pages of the console replace them."""

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from django_otp.plugins.otp_totp.models import TOTPDevice

# Users and roles have their own pages.
for model in (User, Group):
    admin.site.unregister(model)
# Schedules have their own pages, with their own checks; the scheduler writes its other tasks at its start.
for model in (PeriodicTask, ClockedSchedule, CrontabSchedule, IntervalSchedule, SolarSchedule):
    admin.site.unregister(model)
# The library's pages would show administrators each other's keys.
admin.site.unregister(TOTPDevice)
